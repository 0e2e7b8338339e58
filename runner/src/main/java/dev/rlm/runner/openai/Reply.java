package dev.rlm.runner.openai;

import dev.rlm.json.chat.ChatApi;
import dev.rlm.json.chat.ChatReply;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.ModelCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A model's reply, put together from the whole or from the pieces of a stream; of one that was cut, what had come. Of several
 * choices the first one counts.
 */
final class Reply {
    private final int turn;
    private final ModelCall call;
    private final ChatApi.ReplyStream stream = ChatApi.COMPLETIONS.stream();
    private @Nullable ChatReply read;

    /** A reply of which nothing has come; the turn is its number in its conversation, for ids that are made up. */
    Reply(int turn, ModelCall call) {
        this.turn = turn;
        this.call = call;
    }

    /** Takes a piece of a stream. */
    void piece(ObjectNode piece) {
        boolean before = stream.hasBegun();
        stream.add(piece);
        if (!before && stream.hasBegun()) {
            call.firstToken();
        }
    }

    /** Takes the whole. */
    void whole(ObjectNode reply) {
        read = read(reply);
    }

    private static ChatReply read(ObjectNode reply) {
        return ChatReply.choices(ChatApi.COMPLETIONS.reply(reply)).get(0);
    }

    /** Returns what has come; of a stream once no more does. */
    private ChatReply reply() {
        ChatReply known = read;
        if (known == null) {
            known = read(stream.reply());
            read = known;
        }
        return known;
    }

    /** Returns whether the model has said anything. */
    boolean hasBegun() {
        return read != null
                ? !text().isEmpty() || !reasoning().isEmpty() || !requests().isEmpty()
                : stream.hasBegun();
    }

    /** Returns whether the model has said that it has ended. */
    boolean isFinished() {
        return read != null ? read.finishReason() != null : stream.tellsEnd();
    }

    String text() {
        return reply().text();
    }

    /** Returns what it thought before, as far as the server shows it; empty where not. */
    String reasoning() {
        return reply().thoughts();
    }

    /** The name under which the server gave {@link #reasoning}. */
    @Nullable
    String reasoningField() {
        return reply().thoughtField();
    }

    /** The tools that it asks for, in order, each with an id of its own: one that is missing or comes again is made up. */
    List<MessageJson.Call> requests() {
        Set<String> ids = new HashSet<>();
        List<MessageJson.Call> all = new ArrayList<>();
        for (MessageJson.Call each : reply().toolCalls()) {
            String id = each.id().isEmpty() || !ids.add(each.id()) ? madeUp(ids) : each.id();
            all.add(new MessageJson.Call(id, each.tool(), each.arguments()));
        }
        return all;
    }

    private String madeUp(Set<String> ids) {
        int number = 1;
        while (!ids.add("call-" + turn + "-" + number)) {
            number++;
        }
        return "call-" + turn + "-" + number;
    }

    /** Records what was said, thoughts in the form in which open models write them. */
    void record() {
        String said = reasoning().isEmpty() ? text() : "<think>\n" + reasoning() + "\n</think>\n\n" + text();
        if (!said.isEmpty() || isFinished()) {
            call.reply(said);
        }
        requests().forEach(request -> call.toolRequest(request.id(), request.tool(), request.arguments()));
        reply().recordFacts(call);
    }
}
