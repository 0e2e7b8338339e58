package dev.rlm.runner.openai;

import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model replied; of a reply that was cut, what had come.
 *
 * @param id the server's; {@code null} where it gave none
 * @param model that answered; {@code null} where the server did not say
 * @param text what it said
 * @param reasoning what it thought before, as far as the server shows it; empty where not
 * @param reasoningField the name under which the server gave that
 * @param requests the tools that it asks for, in order
 * @param finishReason {@code null} where the server did not say
 * @param tokens {@code null} where the server gave none
 * @param tokenTexts texts of the reply's tokens; none where the server gave none
 */
record Reply(
        @Nullable String id,
        @Nullable String model,
        String text,
        String reasoning,
        String reasoningField,
        List<Request> requests,
        @Nullable String finishReason,
        Usage usage,
        @Nullable TokenTrace tokens,
        List<String> tokenTexts) {
    /** All that it said, with its thoughts in the form in which open models write them. */
    String said() {
        return reasoning.isEmpty() ? text : "<think>\n" + reasoning + "\n</think>\n\n" + text;
    }

    /** A call of a tool that it asks for; the arguments as it wrote them. */
    record Request(String id, String tool, String arguments) {}
}
