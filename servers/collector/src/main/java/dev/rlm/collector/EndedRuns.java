package dev.rlm.collector;

import dev.rlm.collector.runs.RunTimes;
import dev.rlm.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Record of the spans that the runs had that have ended, on disk alone: lines for each run in one of many small files, which a
 * hash of the run's id chooses. All collectors of a journal share it, and by it agree who makes which part of a run. Safe for use by several
 * threads.
 */
final class EndedRuns {
    private static final int FILES = 1 << 10;
    private static final int MAX_FILE = 256 << 10; // above it the spans of the runs that ended first are forgotten
    private static final String COMPLETE = "complete";
    private static final String LOCK = "lock";
    private static final ReentrantLock TURN = new ReentrantLock(); // of the collectors in this process
    private static final String CLAIM = "claim"; // state of a part

    private final Path folder;
    private Ended latest = Ended.NOTHING; // that was looked for; guarded by this
    private String latestId = "";

    /**
     * A run that has ended.
     *
     * @param parts how many runs were made of its trace
     * @param spans the ids of its spans; none where they have been forgotten
     * @param times {@code null} where another program has recorded it
     * @param claims ids of spans of which a part is being made, or was when its collector died, by the number of that part
     */
    record Ended(int parts, Set<Long> spans, @Nullable RunTimes times, Map<Integer, Set<Long>> claims) {
        private static final Ended NOTHING = new Ended(0, Set.of(), null, Map.of());

        /** Returns the number of the part that is made of spans: that of a claim of which they are all, as where it is tried again. */
        private int part(Set<Long> ids) {
            int last = parts;
            for (Map.Entry<Integer, Set<Long>> claim : claims.entrySet()) {
                if (!claim.getValue().isEmpty() && ids.containsAll(claim.getValue())) {
                    return claim.getKey();
                }
                last = Math.max(last, claim.getKey());
            }
            return last + 1;
        }
    }

    /**
     * Part of a run that one collector makes, and no other.
     *
     * @param times of the run, if its first part has been made
     */
    record Claim(int part, @Nullable RunTimes times) {}

    /**
     * Opens the record in a folder.
     *
     * @param earlier the runs that have ended before the record began; asked when it begins
     */
    EndedRuns(Path folder, Supplier<Set<String>> earlier) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
        if (Files.notExists(folder.resolve(COMPLETE))) {
            Set<String> known = earlier.get();
            try (Turn ignored = turn()) {
                for (String runId : known) {
                    append(runId, line(runId, 1, Set.of(), null, null), false);
                }
            }
            Files.write(folder.resolve(COMPLETE), new byte[0]); // also where another collector has just done the same
        }
    }

    /** Claims the part of a run that is to be made of these spans. */
    synchronized Claim claim(String runId, Set<Long> spans) throws IOException {
        latestId = "";
        try (Turn ignored = turn()) {
            Ended before = read(runId);
            int part = before.part(spans);
            if (!before.claims().containsKey(part)) {
                append(
                        runId,
                        line(runId, part, spans, null, CLAIM),
                        false); // no process that could make it outlives a machine
            }
            return new Claim(part, before.times());
        }
    }

    /** Gives a claim up. */
    synchronized void release(String runId, Claim claim) throws IOException {
        latestId = "";
        try (Turn ignored = turn()) {
            append(runId, line(runId, claim.part(), Set.of(), null, "none"), false);
        }
    }

    /**
     * Takes note of what a claim came to, and returns when that is synced.
     *
     * @param made whether its part was made of the spans
     */
    synchronized void add(String runId, int part, boolean made, Set<Long> spans, @Nullable RunTimes times)
            throws IOException {
        latestId = "";
        try (Turn ignored = turn()) {
            append(runId, line(runId, part, spans, times, made ? "made" : "none"), true);
        }
    }

    /** Waits for the turn among all collectors of the journal: who makes a file shorter must not leave out another's line. */
    private Turn turn() throws IOException {
        TURN.lock(); // a process has one lock of a file
        FileChannel file = null;
        try {
            file = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            file.lock(); // until it is closed
            return new Turn(file);
        } catch (IOException | RuntimeException e) {
            new Turn(file).close();
            throw e;
        }
    }

    private record Turn(@Nullable FileChannel file) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                if (file != null) {
                    file.close();
                }
            } finally {
                TURN.unlock();
            }
        }
    }

    /** @param state of the part of that number; {@code null} for a run of which no more is known than that it has ended */
    private static byte[] line(
            String runId, int part, Collection<Long> spans, @Nullable RunTimes times, @Nullable String state) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("run", runId);
        line.put("parts", part);
        if (state != null) {
            line.put("state", state);
        }
        if (times != null) {
            line.put("start", times.start());
            line.put("end", times.end());
        }
        ByteBuffer ids = ByteBuffer.allocate(Long.BYTES * spans.size());
        spans.forEach(ids::putLong);
        line.put("spans", Base64.getEncoder().encodeToString(ids.array()));
        return Json.bytes(line);
    }

    private void append(String runId, byte[] line, boolean sync) throws IOException {
        Path file = file(runId);
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            ByteBuffer bytes = ByteBuffer.allocate(line.length + 2)
                    .put((byte) '\n') // behind half a line that a crash has left
                    .put(line)
                    .put((byte) '\n')
                    .flip();
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            if (sync) {
                out.force(true);
            }
        }
        if (Files.size(file) > MAX_FILE) {
            forgetSpans(file);
        }
    }

    private Path file(String runId) {
        return folder.resolve(Integer.toHexString(Math.floorMod((runId.hashCode() * 0x9E3779B9) >>> 8, FILES)));
    }

    /**
     * Leaves out the claims of parts that have been made, and the spans of all other lines but the last ones and what is claimed, where that
     * makes the file much smaller.
     */
    private static void forgetSpans(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Set<String> settled = new HashSet<>();
        forEachLine(bytes, "", (from, length) -> {
            ObjectNode line = object(bytes, from, length);
            if (!isClaim(line)) {
                settled.add(part(line));
            }
        });
        ByteArrayOutputStream shorter = new ByteArrayOutputStream();
        forEachLine(bytes, "", (from, length) -> {
            ObjectNode read = object(bytes, from, length);
            if (isClaim(read) && settled.contains(part(read))) {
                return;
            }
            byte[] line = Arrays.copyOfRange(bytes, from, from + length);
            if (!isClaim(read) && bytes.length - from - length > MAX_FILE / 2) {
                line = Json.bytes(read.put("spans", ""));
            }
            shorter.writeBytes(line);
            shorter.write('\n');
        });
        if (shorter.size() < bytes.length / 4 * 3) {
            Path next = file.resolveSibling("next-" + ProcessHandle.current().pid()); // others share the folder
            try (FileChannel out = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer all = ByteBuffer.wrap(shorter.toByteArray());
                while (all.hasRemaining()) {
                    out.write(all);
                }
                out.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static boolean isClaim(ObjectNode line) {
        return line.path("state").stringValue("").equals(CLAIM);
    }

    private static String part(ObjectNode line) {
        return line.path("parts").intValue(1) + " " + line.path("run").stringValue("");
    }

    /** Returns what is known of a run. */
    synchronized Ended find(String runId) throws IOException {
        if (!latestId.equals(runId)) {
            latest = read(runId);
            latestId = runId;
        }
        return latest;
    }

    private Ended read(String runId) throws IOException {
        Path file = file(runId);
        if (Files.notExists(file)) {
            return Ended.NOTHING;
        }
        byte[] bytes = Files.readAllBytes(file);
        Set<Long> spans = new HashSet<>();
        Map<Integer, Set<Long>> claims = new LinkedHashMap<>();
        int[] parts = {0};
        RunTimes[] times = {null};
        forEachLine(bytes, "{\"run\":" + Json.text(runId) + ",", (from, length) -> {
            ObjectNode line = object(bytes, from, length);
            int part = line.path("parts").intValue(1);
            Set<Long> its = ids(line);
            String state = line.path("state").stringValue("made");
            if (state.equals(CLAIM)) {
                claims.put(part, its);
            } else {
                claims.remove(part);
                spans.addAll(its);
                parts[0] = state.equals("made") ? Math.max(part, parts[0]) : parts[0];
                times[0] = line.has("end")
                        ? new RunTimes(
                                line.path("start").longValue(0),
                                line.path("end").longValue(0))
                        : times[0];
            }
        });
        return new Ended(parts[0], spans, times[0], claims);
    }

    private static Set<Long> ids(ObjectNode line) {
        ByteBuffer bytes =
                ByteBuffer.wrap(Base64.getDecoder().decode(line.path("spans").stringValue("")));
        Set<Long> ids = new HashSet<>();
        while (bytes.remaining() >= Long.BYTES) {
            ids.add(bytes.getLong());
        }
        return ids;
    }

    /** Reads a line; an empty object where the disk has damaged it. */
    private static ObjectNode object(byte[] bytes, int from, int length) {
        try {
            return Json.REPLY.object(bytes, from, length);
        } catch (JacksonException e) {
            return JsonNodeFactory.instance.objectNode();
        }
    }

    private static void forEachLine(byte[] bytes, String prefix, Lines lines) {
        byte[] begin = prefix.getBytes(StandardCharsets.UTF_8);
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                boolean whole = i > from && bytes[from] == '{' && bytes[i - 1] == '}';
                int same = Arrays.mismatch(bytes, from, i, begin, 0, begin.length);
                if (whole && same == begin.length) {
                    lines.line(from, i - from);
                }
                from = i + 1;
            }
        }
    }

    /** Taker of the places of lines. */
    private interface Lines {
        void line(int from, int length);
    }
}
