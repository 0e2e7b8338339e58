package dev.rlm.server.rollout;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.ModelCalled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last call that was answered of each conversation of a rollout. Immutable. */
final class LastCalls {
    /** Those of a rollout that has had none. */
    static final LastCalls NONE = new LastCalls(new Conversations(), Map.of());

    private static final int MAX_CONVERSATIONS = 100;

    private final Conversations conversations; // never changed
    private final Map<Integer, LastCall> calls; // by conversation, the newest last

    private LastCalls(Conversations conversations, Map<Integer, LastCall> calls) {
        this.conversations = conversations;
        this.calls = calls;
    }

    /** Returns them after one more was answered. Of very many conversations the one that was silent for longest goes. */
    LastCalls with(ModelCalled call) {
        Conversations begun = new Conversations(conversations);
        int conversation = begun.add(Json.elements(Json.tree(Trace.messages(call))));
        Map<Integer, LastCall> all = new LinkedHashMap<>(calls);
        all.remove(conversation);
        all.put(conversation, LastCall.of(call));
        if (all.size() > MAX_CONVERSATIONS) {
            all.remove(all.keySet().iterator().next());
        }
        return new LastCalls(begun, all);
    }

    /** Returns the same without what the journal tells too. */
    LastCalls withoutTexts() {
        Map<Integer, LastCall> all = new LinkedHashMap<>(calls);
        all.replaceAll((conversation, call) -> call.withoutTexts());
        return new LastCalls(conversations, all);
    }

    /** Returns them, the newest first. */
    List<LastCall> newestFirst() {
        List<LastCall> all = new ArrayList<>(calls.values());
        Collections.reverse(all);
        return all;
    }

    /** Returns the newest; {@code null} where no call was answered. */
    @Nullable
    LastCall newest() {
        return calls.isEmpty() ? null : newestFirst().get(0);
    }

    /** About how many characters they hold. */
    long length() {
        return calls.values().stream().mapToLong(LastCall::length).sum();
    }
}
