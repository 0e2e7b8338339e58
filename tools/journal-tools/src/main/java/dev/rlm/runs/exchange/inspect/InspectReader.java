package dev.rlm.runs.exchange.inspect;

import dev.rlm.runs.exchange.chat.ChatMessages;
import dev.rlm.runs.exchange.chat.ChatReader;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Rest;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads logs of Inspect: a document with all samples of an evaluation, or first what is told of the evaluation and then a
 * record a sample. Each sample of each epoch is a run.
 */
public final class InspectReader implements RunReader {
    private static final String EVAL = "eval";
    private static final String SAMPLES = "samples";
    private static final List<String> OTHERS = // sums of the samples, but for these and the version
            List.of(SAMPLES, "version", "status", "results", "reductions", "stats");

    private final ImportDefaults defaults;
    private final ChatReader chats;
    private final Set<String> left = new LinkedHashSet<>(); // out of the record that was read last
    private @Nullable JsonObject header;

    public InspectReader(ImportDefaults defaults) {
        this.defaults = defaults;
        this.chats = new ChatReader(defaults);
    }

    @Override
    public void line(JsonObject document, Consumer<List<RunEvent>> runs) throws BadRecordException {
        left.clear();
        if (document.has(EVAL)) {
            readAll(document).forEach(runs);
        } else if (header != null && document.has("epoch")) {
            runs.accept(read(document, header));
        } else {
            throw new BadRecordException("\"" + EVAL + "\", an object that tells of the evaluation");
        }
    }

    private List<List<RunEvent>> readAll(JsonObject document) throws BadRecordException {
        JsonObject eval = document.object(EVAL);
        eval.object("dataset").tree().remove("sample_ids");
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        rest.setAll(document.tree());
        rest.remove(OTHERS);
        rest.set(EVAL, Rest.of(eval.tree(), EVAL + ".", left::add));
        JsonObject told = new JsonObject(Rest.of(rest, "", left::add));
        List<JsonObject> samples = document.objects(SAMPLES);
        List<List<RunEvent>> runs = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            try {
                runs.add(read(samples.get(i), told));
            } catch (BadRecordException e) {
                throw e.in(SAMPLES + "[" + i + "]");
            }
        }
        header = told;
        return runs;
    }

    private List<RunEvent> read(JsonObject sample, JsonObject told) throws BadRecordException {
        InspectSample read = InspectSample.of(sample, told, left::add);
        JsonObject head = new JsonObject(read.head());
        JsonNode first = head.get(ChatReader.REWARDS).path(0).path("value");
        if (first.isNumber()) {
            read.head().put("solved", first.doubleValue() >= defaults.passReward());
        }
        Times times = Times.of(head, read.messages(), defaults.now().get());
        List<ChatMessage> said = ChatMessages.of(read.messages(), times, defaults);
        InspectCalls calls = InspectCalls.of(sample, defaults, left::add);
        return chats.run(head.text(RunFields.RUN_ID, ""), head, said, 0, times, calls::of);
    }

    @Override
    public void unknownFields(JsonObject document, Consumer<String> fields) {
        left.forEach(fields);
    }
}
