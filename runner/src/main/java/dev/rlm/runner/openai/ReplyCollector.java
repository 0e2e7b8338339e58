package dev.rlm.runner.openai;

import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Puts a reply together, from the whole or from the pieces of a stream. Of several choices the first one counts. */
final class ReplyCollector {
    private final Runnable firstToken;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final ToolRequests requests;
    private final TokenCollector tokens = new TokenCollector();
    private String reasoningField = "reasoning_content";
    private @Nullable String id;
    private @Nullable String model;
    private @Nullable String finishReason;
    private Usage usage = Usage.UNKNOWN;

    /**
     * A collector.
     *
     * @param turn the reply's number in its conversation
     * @param firstToken is called when the first token of a stream has come
     */
    ReplyCollector(int turn, Runnable firstToken) {
        requests = new ToolRequests(turn);
        this.firstToken = firstToken;
    }

    /** Takes a piece of a stream. */
    void piece(Fields piece) {
        boolean before = hasBegun();
        add(piece, "delta");
        if (!before && hasBegun()) {
            firstToken.run();
        }
    }

    /** Takes the whole. */
    void whole(Fields reply) {
        add(reply, "message");
    }

    /** Whether the model has said anything. */
    boolean hasBegun() {
        return text.length() > 0 || reasoning.length() > 0 || !requests.isEmpty();
    }

    /** Whether the model has said that it has ended. */
    boolean isFinished() {
        return finishReason != null;
    }

    Reply reply() {
        return new Reply(
                id,
                model,
                text.toString(),
                reasoning.toString(),
                reasoningField,
                requests.all(),
                finishReason,
                usage,
                tokens.trace(),
                tokens.texts());
    }

    private void add(Fields reply, String message) {
        tokens.addReply(reply);
        id = reply.text("id") == null ? id : reply.text("id");
        model = reply.text("model") == null ? model : reply.text("model");
        if (!reply.object("usage").isEmpty()) {
            usage = usage(reply.object("usage"));
        }
        for (Fields choice : reply.objects("choices")) {
            Long index = choice.count("index");
            if (index == null || index == 0) {
                tokens.addChoice(choice);
                say(choice.object(message));
                String reason = choice.text("finish_reason");
                finishReason = reason == null ? finishReason : reason;
            }
        }
    }

    private void say(Fields message) {
        Object content = message.values().get("content");
        String words = content instanceof List<?> parts ? text(parts) : message.text("content", "refusal");
        if (words != null) {
            text.append(words);
        }
        for (String field : List.of("reasoning_content", "reasoning")) {
            String thought = message.text(field);
            if (thought != null && !thought.isEmpty()) {
                reasoningField = field;
                reasoning.append(thought);
                break; // some servers give both
            }
        }
        message.objects("tool_calls").forEach(requests::add);
    }

    private static String text(List<?> parts) {
        return parts.stream()
                .map(part -> Fields.of(part).text("text"))
                .filter(words -> words != null)
                .collect(Collectors.joining());
    }

    private static Usage usage(Fields usage) {
        Long input = usage.count("prompt_tokens");
        Long output = usage.count("completion_tokens");
        Long cached = usage.object("prompt_tokens_details").count("cached_tokens");
        Long reasoned = usage.object("completion_tokens_details").count("reasoning_tokens");
        return new Usage(
                input,
                output,
                partOf(input, cached == null ? usage.count("prompt_cache_hit_tokens") : cached),
                partOf(output, reasoned == null ? usage.count("reasoning_tokens") : reasoned),
                partOf(input, usage.object("prompt_tokens_details").count("cache_write_tokens")));
    }

    /** A part that is more than its whole is no number to be believed. */
    private static @Nullable Long partOf(@Nullable Long whole, @Nullable Long part) {
        return whole != null && part != null && part > whole ? null : part;
    }
}
