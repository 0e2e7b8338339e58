package dev.rlm.runs.exchange.atif;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.chat.ChatReader;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads trajectories of ATIF. One that {@link AtifExport} wrote has the events of its run; they are taken over if its steps
 * are as they were. Any other is read as a chat is. A step of the agent is a step, with a call of the model and the answers
 * of its tools; subagents are runs of their own. What no event holds is kept as the run's parameter {@code atif}.
 */
public final class AtifReader implements RunReader {
    private static final String EXPECTED_VERSION = "a \"schema_version\" such as ATIF-v1.4 to ATIF-v1.8";
    private static final int ID_DIGITS = 16;
    private static final int MAX_REST = 1 << 18; // characters: parameters have an end

    private final ImportDefaults defaults;
    private final ChatReader chats;
    private final List<String> left = new ArrayList<>(); // out of the document that was read last

    public AtifReader(ImportDefaults defaults) {
        this.defaults = defaults;
        this.chats = new ChatReader(defaults);
    }

    @Override
    public void line(JsonObject document, Consumer<List<RunEvent>> runs) throws BadRecordException {
        left.clear();
        List<List<RunEvent>> read = new ArrayList<>();
        read(document, null, read);
        read.forEach(runs);
    }

    @Override
    public void unknownFields(JsonObject document, Consumer<String> fields) {
        left.forEach(fields);
    }

    private void read(JsonObject document, @Nullable String parent, List<List<RunEvent>> runs)
            throws BadRecordException {
        String version = document.text("schema_version", "");
        if (!version.matches("ATIF-v1\\.\\d{1,3}")) {
            throw new BadRecordException(EXPECTED_VERSION + (version.isEmpty() ? "" : ", found " + version));
        }
        List<RunEvent> recorded = recorded(document);
        List<RunEvent> run = recorded == null ? told(document, parent) : recorded;
        runs.add(run);
        List<JsonObject> children = document.objects(AtifDocument.SUBAGENTS);
        for (int i = 0; i < children.size(); i++) {
            try {
                read(children.get(i), run.get(0).run().runId(), runs);
            } catch (BadRecordException e) {
                throw e.in(AtifDocument.SUBAGENTS + "[" + i + "]");
            }
        }
    }

    /** The events that are within the document; {@code null} where there are none, or it was changed since. */
    private @Nullable List<RunEvent> recorded(JsonObject document) throws BadRecordException {
        JsonObject own = own(document);
        if (!own.has(AtifExport.EVENTS)) {
            return null;
        } else if (!AtifDocument.hash(document.tree()).equals(own.text(AtifExport.HASH, ""))) {
            left.add("extra.rlm.events"); // which tell of other steps
            return null;
        }
        JsonNode events = JsonReferences.resolve(own.get(AtifExport.EVENTS), document.tree(), defaults::name);
        try {
            return RecordedEvents.read(events, defaults.path());
        } catch (ClassCastException | NullPointerException e) { // Java's own words
            throw new BadRecordException("extra.rlm.events to be events of the journal, found a value of another kind");
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new BadRecordException("extra.rlm.events to be events of the journal, found: " + e.getMessage());
        }
    }

    private static JsonObject own(JsonObject document) throws BadRecordException {
        return document.object(AtifDocument.EXTRA).object(AtifDocument.RLM);
    }

    /** The run that the steps tell of. */
    private List<RunEvent> told(JsonObject document, @Nullable String parent) throws BadRecordException {
        ObjectNode head = own(document).tree().deepCopy();
        head.remove(AtifExport.EVENTS);
        JsonObject agent = document.object(AtifDocument.AGENT);
        if (!agent.has("name")) {
            throw new BadRecordException("an \"agent\" with a \"name\"");
        }
        head.put("model", agent.text("model_name"));
        head.put("agent", known(agent.text("name")));
        head.put("agent_version", known(agent.text("version")));
        if (parent != null && !head.has(RunFields.PARENT_RUN)) {
            head.put(RunFields.PARENT_RUN, parent);
        }
        String runId = runId(document, head, parent);
        AtifSteps steps = AtifSteps.of(document, new JsonObject(head), defaults);
        List<RunEvent> run = run(runId, head, steps);
        JsonNode rest = rest(document, run, steps.times());
        if (rest == null) {
            return run;
        }
        head.withObjectProperty("metadata").set(AtifDocument.METADATA, rest);
        return run(runId, head, steps);
    }

    private List<RunEvent> run(String runId, ObjectNode head, AtifSteps steps) throws BadRecordException {
        return chats.run(runId, new JsonObject(head), steps.said(), steps.copied(), steps.times(), steps.calls()::get);
    }

    private static @Nullable String known(@Nullable String name) {
        return AtifDocument.UNKNOWN.equals(name) ? null : name;
    }

    /** The ids of subagents are unique within their parent alone. */
    private static String runId(JsonObject document, ObjectNode head, @Nullable String parent)
            throws BadRecordException {
        String told = new JsonObject(head).text(RunFields.RUN_ID, "");
        String id = told.isBlank() ? document.text(AtifDocument.TRAJECTORY_ID, "") : told;
        String made = id.isBlank() ? "atif-" + document.sha256().substring(0, ID_DIGITS) : id;
        return parent == null || !told.isBlank() ? made : parent + "/" + made;
    }

    /** Returns the parts of the document that the events do not hold; {@code null} where they hold all. */
    private @Nullable JsonNode rest(JsonObject document, List<RunEvent> events, Times times) {
        ObjectNode wanted = AtifPatch.withoutNulls(document.tree());
        wanted.remove(List.of("schema_version", AtifDocument.SUBAGENTS));
        if (wanted.path(AtifDocument.EXTRA) instanceof ObjectNode extra) {
            extra.remove(AtifDocument.RLM);
        }
        RunInfo run = events.get(0).run();
        JsonNode rest = AtifPatch.of(wanted, new AtifDocument(run, events, times.mark() == null).tree());
        if (rest != null && Json.text(rest).length() > MAX_REST) {
            rest.propertyNames().forEach(name -> left.add(name + " (in part)"));
            return null;
        }
        return rest;
    }
}
