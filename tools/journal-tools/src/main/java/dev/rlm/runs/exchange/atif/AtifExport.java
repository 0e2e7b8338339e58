package dev.rlm.runs.exchange.atif;

import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.chat.ChatExport;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs as trajectories of ATIF, a file each: what {@link AtifReader} reads. A child run is within its parent's file, as a
 * subagent. What the format has no place for is in {@code extra.rlm}: the run's fields as in a chat, and the journal's
 * events, with references to the texts that the steps have.
 */
public final class AtifExport implements ExportFormat {
    public static final String NAME = "atif";
    static final String EVENTS = "events";
    static final String HASH = "sha256";

    private static final int MAX_NAME = 100;
    private static final int HASH_DIGITS = 16;

    /** Fields of a chat that the document has in places of its own. */
    private static final List<String> OF_DOCUMENT =
            List.of("messages", "timestamps", "model", "agent", "agent_version", "metadata");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isFolder() {
        return true;
    }

    @Override
    public void write(Export export) throws IOException {
        Map<String, String> parents = parents(export.runs());
        Map<String, Integer> toCome = new HashMap<>(); // by the run that no other has started
        export.runs().forEach(run -> toCome.merge(ancestor(run.runId(), parents), 1, Integer::sum));
        Map<String, Map<String, Trajectory>> families = new LinkedHashMap<>();
        export.each((run, events) -> {
            String ancestor = ancestor(run.runId(), parents);
            Map<String, Trajectory> family = families.computeIfAbsent(ancestor, id -> new LinkedHashMap<>());
            family.put(run.runId(), Trajectory.of(run, events));
            if (toCome.merge(ancestor, -1, Integer::sum) == 0) {
                families.remove(ancestor);
                write(export, family, parents);
            }
        });
        for (Map<String, Trajectory> family : families.values()) { // of which not all could be read
            write(export, family, parents);
        }
    }

    /** The parents of runs, where they are exported, too. A run that is its own ancestor has none. */
    private static Map<String, String> parents(List<RunSummary> runs) {
        Map<String, String> parents = new LinkedHashMap<>();
        runs.forEach(run -> parents.put(run.runId(), ""));
        runs.forEach(run -> {
            String parent = run.row().run().correlation().parentRun();
            if (parent != null && parents.containsKey(parent)) {
                parents.put(run.runId(), parent);
                if (ancestor(run.runId(), parents).equals(run.runId())) {
                    parents.put(run.runId(), "");
                }
            }
        });
        return parents;
    }

    private static String ancestor(String id, Map<String, String> parents) {
        Set<String> passed = new HashSet<>();
        String ancestor = id;
        while (passed.add(ancestor) && !parents.getOrDefault(ancestor, "").isEmpty()) {
            ancestor = parents.getOrDefault(ancestor, "");
        }
        return ancestor;
    }

    private static void write(Export export, Map<String, Trajectory> family, Map<String, String> parents)
            throws IOException {
        family.forEach((id, child) -> {
            Trajectory parent = family.get(parents.getOrDefault(id, ""));
            if (parent != null) {
                parent.document().embed(child.document());
            }
        });
        family.values().forEach(Trajectory::addOwn);
        for (Map.Entry<String, Trajectory> each : family.entrySet()) {
            if (!family.containsKey(parents.getOrDefault(each.getKey(), ""))) {
                ObjectNode tree = each.getValue().document().tree();
                export.write(folder(each.getKey()) + "/trajectory.json", Json.bytes(tree));
            }
        }
        export.written(family.size(), family.size());
    }

    /** The run's id as a name that every file system takes. */
    private static String folder(String id) {
        String plain = id.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^\\.", "_");
        if (plain.equals(id) && id.length() <= MAX_NAME) {
            return id;
        }
        String hash = JsonObject.of(Map.of(RunFields.RUN_ID, id)).sha256();
        return plain.substring(0, Math.min(plain.length(), MAX_NAME)) + "-" + hash.substring(0, HASH_DIGITS);
    }

    private record Trajectory(AtifDocument document, RunSummary run, List<RunEvent> events) {
        static Trajectory of(RunSummary summary, List<RunEvent> events) {
            RunInfo run = RunFields.run(summary, events);
            AtifDocument document = new AtifDocument(run, events, summary.hasTimesWithin());
            Object rest = run.params().get(AtifDocument.METADATA);
            if (rest != null) {
                AtifPatch.apply(document.tree(), Json.tree(rest));
            }
            return new Trajectory(document, summary, events);
        }

        /** Adds what the format has no place for. */
        void addOwn() {
            ObjectNode tree = document.tree();
            ObjectNode own = (ObjectNode) Json.tree(ChatExport.line(run, events));
            own.remove(OF_DOCUMENT);
            Map<String, Object> metadata =
                    new LinkedHashMap<>(RunFields.run(run, events).params());
            metadata.remove(AtifDocument.METADATA);
            own.set("metadata", Json.tree(metadata));
            missing(own);
            own.put(HASH, AtifDocument.hash(tree));
            JsonReferences references = new JsonReferences();
            references.addTexts(tree.path(AtifDocument.STEPS), "/" + AtifDocument.STEPS);
            ArrayNode lines = own.arrayNode();
            for (RunEvent event : events) {
                String place = "/" + AtifDocument.EXTRA + "/" + AtifDocument.RLM + "/" + EVENTS + "/" + lines.size();
                lines.add(references.shorten(line(event), place));
            }
            own.set(EVENTS, lines);
            tree.withObjectProperty(AtifDocument.EXTRA).set(AtifDocument.RLM, own);
        }

        private static ObjectNode line(RunEvent event) {
            ObjectNode line = Json.REPLY.object(JournalJson.event(event));
            line.remove("run_path"); // a place on this machine
            if (event instanceof ModelCalled call && !AtifDocument.hasCleanTokens(call)) {
                line.remove("tokens");
            }
            return line;
        }

        /** Tells what a run that was cut off lacks. */
        private void missing(ObjectNode own) {
            long open = count(StepStarted.class) - count(StepEnded.class);
            long lost = run.isIncomplete() && run.row().end() != null
                    ? run.row().end().seq() - run.events()
                    : 0;
            boolean cutOff = run.state() == RunState.UNFINISHED || run.state() == RunState.ABANDONED;
            if (cutOff || lost > 0) {
                ObjectNode missing = own.putObject("missing");
                missing.put("end", cutOff);
                missing.put("step_ends", Math.max(0, open));
                missing.put("events", lost);
            }
        }

        private long count(Class<? extends RunEvent> kind) {
            return events.stream().filter(kind::isInstance).count();
        }
    }
}
