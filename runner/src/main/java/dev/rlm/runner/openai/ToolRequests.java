package dev.rlm.runner.openai;

import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The tools that a reply asks for, put together from pieces. Pieces of a call have its index; some servers leave that
 * away, or give all calls the same, and then another id begins another call.
 */
final class ToolRequests {
    private final int turn; // the reply's number in its conversation, for ids that are made up
    private final List<PartialRequest> drafts = new ArrayList<>();

    ToolRequests(int turn) {
        this.turn = turn;
    }

    void add(JsonNode piece) {
        JsonNode function = piece.path("function");
        PartialRequest draft = draft(
                Fields.count(piece.path("index")),
                Fields.word(piece.path("id")),
                function.path("name").stringValue(null));
        if (function.hasNonNull("arguments")) {
            JsonNode arguments = function.path("arguments");
            draft.arguments.append(arguments.isString() ? arguments.stringValue() : Json.text(arguments));
        }
    }

    private PartialRequest draft(@Nullable Long index, @Nullable String id, @Nullable String name) {
        PartialRequest known = known(index);
        boolean another = known != null && name != null && id != null && !id.isEmpty() && !id.equals(known.id);
        if (known != null && !another) {
            known.id = known.id.isEmpty() && id != null ? id : known.id;
            known.tool = known.tool.isEmpty() && name != null ? name : known.tool;
            return known;
        }
        PartialRequest draft = new PartialRequest(index, id == null ? "" : id, name == null ? "" : name);
        drafts.add(draft);
        return draft;
    }

    /** The last draft, or the last one with that index. */
    private @Nullable PartialRequest known(@Nullable Long index) {
        PartialRequest known = null;
        for (PartialRequest draft : drafts) {
            known = index == null || index.equals(draft.index) ? draft : known;
        }
        return known;
    }

    boolean isEmpty() {
        return drafts.isEmpty();
    }

    /** The requests, each with an id of its own: one that is missing or comes again is made up. */
    List<Request> all() {
        Set<String> ids = new HashSet<>();
        List<Request> all = new ArrayList<>();
        for (PartialRequest draft : drafts) {
            String id = draft.id.isEmpty() || !ids.add(draft.id) ? madeUp(ids) : draft.id;
            all.add(new Request(id, draft.tool, draft.arguments.toString()));
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

    /** A call of a tool; the arguments as the model wrote them. */
    record Request(String id, String tool, String arguments) {}

    private static final class PartialRequest {
        private final @Nullable Long index;
        private final StringBuilder arguments = new StringBuilder();
        private String id;
        private String tool;

        PartialRequest(@Nullable Long index, String id, String tool) {
            this.index = index;
            this.id = id;
            this.tool = tool;
        }
    }
}
