package dev.rlm.runs;

import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds of the messages that calls of models are shown those that are new: that no earlier call of the run was shown at that place of
 * its conversation, nor at another, unless the model has not spoken since. Not thread-safe.
 */
public final class NewMessages {
    private static final String SYSTEM = "system";
    private static final String ASSISTANT = "assistant";

    private final Turn beginning = new Turn(); // of every conversation
    private final Set<String> known = new HashSet<>();

    /** Returns those of a call, system instructions that it was given apart from them first. The calls come in their order. */
    public List<Message> of(ModelCalled call) {
        List<Message> fresh = new ArrayList<>();
        if (call.systemInstructions() != null) {
            Message instructions = new Message(SYSTEM, call.systemInstructions(), List.of(), null);
            if (known.add(key(instructions))) {
                fresh.add(instructions);
            }
        }
        Turn turn = beginning;
        for (int i = 0; i < call.messages().size(); i++) {
            Message message = call.messages().get(i);
            boolean isKnown = turn.next.containsKey(key(message));
            turn = turn.then(message);
            if (known.add(key(message)) || (!isKnown && isUnanswered(call.messages(), i))) {
                fresh.add(message);
            }
        }
        if (call.reply() != null) {
            turn.then(call.reply());
            known.add(key(call.reply()));
        }
        return fresh;
    }

    private static boolean isUnanswered(List<Message> messages, int from) {
        return messages.subList(from, messages.size()).stream()
                .noneMatch(message -> message.role().equals(ASSISTANT));
    }

    private static String key(Message message) {
        boolean plain =
                message.parts().isEmpty() || message.role().equals(ASSISTANT); // whose thoughts are not shown again
        return message.role() + "\n" + message.content().text().strip() + (plain ? "" : message.parts());
    }

    /** Place in a conversation, by all that was said before. */
    private static final class Turn {
        private final Map<String, Turn> next = new HashMap<>();

        Turn then(Message message) {
            return next.computeIfAbsent(key(message), key -> new Turn());
        }
    }
}
