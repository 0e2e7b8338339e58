package dev.rlm.runs.report;

import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A journal that was damaged at random in the ways in which journals are, and what was done to it. */
final class DamagedJournal {
    private static final JsonMapper JSON = new JsonMapper();

    final Map<String, Set<Long>> missing = new TreeMap<>(); // numbers of events by run
    final Set<String> withoutEnd = new TreeSet<>(); // runs
    final Map<String, Long> lost = new TreeMap<>(); // by the journal's sink, by reason
    final Map<String, String> states = new TreeMap<>(); // by writer
    long damagedLines;
    boolean silent; // whether a writer ended without telling what it lost

    private final Random random;
    private final Path journal;

    DamagedJournal(Path journal, long seed) throws IOException {
        this.journal = journal;
        this.random = new Random(seed);
        int writers = 1 + random.nextInt(4);
        for (int writer = 0; writer < writers; writer++) {
            damage(record(writer));
        }
    }

    /** Records elsewhere, so that none goes on in the folder of another, and returns the folder. */
    private Path record(int writer) throws IOException {
        Path alone = journal.resolveSibling(journal.getFileName() + ".writer-" + writer);
        JsonlSink sink = JsonlSink.builder().directory(alone).build();
        try (Sinks sinks = Sinks.builder().add("jsonl", sink).build()) {
            int runs = 1 + random.nextInt(4);
            for (int number = 0; number < runs; number++) {
                try (Run run = sinks.startRun(RunSpec.builder("maze")
                        .runId("run-" + writer + "-" + number)
                        .build())) {
                    for (int step = random.nextInt(5); step > 0; step--) {
                        try (Step taken = run.startStep("where?")) {
                            taken.reward(0.5);
                            taken.complete("there");
                        }
                    }
                    run.complete("out");
                }
            }
        }
        Files.createDirectories(journal);
        Path folder = sink.recordPath().orElseThrow();
        Path moved = Files.move(folder, journal.resolve(folder.getFileName()));
        Files.delete(alone);
        return moved;
    }

    private void damage(Path folder) throws IOException {
        Path file = folder.resolve("events-1.jsonl");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        boolean killed = random.nextInt(4) == 0;
        boolean recovered = killed && random.nextBoolean();
        Set<String> endless = new TreeSet<>();
        for (int times = Math.max(0, random.nextInt(7) - 3); times > 0; times--) {
            damage(lines, endless);
        }
        endless.removeIf(run -> !isKnown(run, lines));
        boolean torn = random.nextInt(5) == 0;
        if (killed) {
            lines.removeIf(line -> isLedger(line) && line.equals(lines.get(lines.size() - 1)));
            Files.createFile(folder.resolve("lock"));
            Files.delete(folder.resolve("runs.jsonl")); // which tells of ends
        } else {
            withoutEnd.addAll(endless);
        }
        if (!lose(lines) && !killed && random.nextInt(6) == 0) {
            lines.removeIf(DamagedJournal::isLedger);
            silent = true;
        }
        String text = String.join("\n", lines) + "\n" + (torn ? "{\"type\":\"step_en" : "");
        Files.writeString(file, text, StandardCharsets.UTF_8);
        damagedLines += torn && !recovered ? 1 : 0;
        silent |= killed && !recovered;
        states.put(folder.getFileName().toString(), recovered ? "recovered" : killed ? "killed" : "closed");
        if (recovered) {
            for (int last = lines.size() - 1; last >= 0 && lines.get(last).startsWith("\0"); last--) {
                damagedLines--; // it is set aside
            }
            Recovery.recover(folder);
        }
    }

    /** Deletes, repeats or destroys a line of a run. */
    private void damage(List<String> lines, Set<String> endless) {
        int at = random.nextInt(lines.size());
        JsonNode line = read(lines.get(at));
        String run = line.path("run_id").asString("");
        if (run.isEmpty()) {
            return;
        }
        boolean isEnd = line.path("type").asString().equals("run_ended");
        switch (random.nextInt(3)) {
            case 0 -> {
                lines.add(at, lines.get(at));
                return;
            }
            case 1 -> lines.remove(at);
            default -> {
                lines.set(at, "\0".repeat(lines.get(at).length()));
                damagedLines++;
            }
        }
        boolean copied = lines.stream().map(DamagedJournal::read).anyMatch(line::equals);
        if (copied) {
            return;
        }
        if (isEnd) {
            endless.add(run);
        } else {
            missing.computeIfAbsent(run, id -> new TreeSet<>())
                    .add(line.path("seq").asLong());
        }
    }

    /** Forgets of a run without an end what nobody can miss: events behind the last that is left. Returns whether one is. */
    private boolean isKnown(String run, List<String> lines) {
        long last = lines.stream()
                .map(DamagedJournal::read)
                .filter(line -> line.path("run_id").asString("").equals(run))
                .mapToLong(line -> line.path("seq").asLong())
                .max()
                .orElse(0);
        Set<Long> numbers = missing.getOrDefault(run, new TreeSet<>());
        numbers.removeIf(number -> number > last);
        if (numbers.isEmpty()) {
            missing.remove(run);
        }
        return last > 0;
    }

    /** Lets the last ledger tell of events that did not get into the journal; now and then, and where there is one. */
    private boolean lose(List<String> lines) {
        int at = lines.size() - 1;
        if (random.nextInt(5) > 0 || !isLedger(lines.get(at))) {
            return false;
        }
        String reason = random.nextBoolean() ? "queue_full" : "file_error";
        long count = 1L + random.nextInt(9);
        ObjectNode ledger = (ObjectNode) read(lines.get(at));
        ObjectNode account = (ObjectNode) ledger.path("sinks").path("jsonl");
        account.put("offered", account.path("offered").asLong() + count);
        account.set("dropped", JSON.valueToTree(Map.of(reason, count)));
        lines.set(at, ledger.toString());
        lost.merge(reason, count, Long::sum);
        return true;
    }

    private static boolean isLedger(String line) {
        return read(line).path("type").asString("").equals("ledger_reported");
    }

    private static JsonNode read(String line) {
        return line.startsWith("{") ? JSON.readTree(line) : JSON.nullNode();
    }

    /** Returns what is to be said of the whole. */
    String record() {
        boolean whole = missing.isEmpty() && withoutEnd.isEmpty() && lost.isEmpty() && damagedLines == 0;
        return !whole ? "incomplete" : silent ? "unknown" : "complete";
    }
}
