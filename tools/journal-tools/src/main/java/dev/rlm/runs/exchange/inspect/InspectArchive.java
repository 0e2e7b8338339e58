package dev.rlm.runs.exchange.inspect;

import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.RecordSize;
import dev.rlm.runs.exchange.input.Records;
import dev.rlm.runs.exchange.inspect.ZipArchive.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.zip.ZipException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A log of Inspect that is a zip archive: first what it tells of the evaluation, then a record a sample. No more than one
 * sample is held.
 */
public final class InspectArchive {
    private static final List<String> HEADERS = List.of("header.json", "_journal/start.json");
    private static final String SAMPLE = "samples/.+_epoch_\\d+\\.json";
    private static final String SHELL = "samples/.+_epoch_\\d+/sample\\.json";
    private static final String NUMBERED = "\\d{1,18}\\.json";
    private static final List<String> SEQUENCES = List.of("messages", "events", "attachments");

    private static final int MAX_MESSAGES = 1 << 20;

    private final ZipArchive archive;
    /** Bytes of an entry, and of all entries of a sample. */
    private final long most = Math.min(Runtime.getRuntime().maxMemory() / 8, Integer.MAX_VALUE - 16);

    private InspectArchive(ZipArchive archive) {
        this.archive = archive;
    }

    public static void read(Path path, Records records) throws IOException {
        try (ZipArchive archive = ZipArchive.open(path)) {
            new InspectArchive(archive).read(records);
        }
    }

    private void read(Records records) throws ZipException {
        NavigableMap<String, Entry> entries = archive.entries();
        Entry header = HEADERS.stream()
                .map(entries::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new ZipException("no entry " + String.join(" or ", HEADERS)));
        records.accept(header.name(), () -> JsonObject.parse(bytes(header)));
        for (Entry entry : entries.values()) {
            if (entry.name().matches(SHELL)) {
                records.accept(entry.name(), () -> parts(entry));
            } else if (entry.name().matches(SAMPLE)) {
                records.accept(entry.name(), () -> JsonObject.parse(bytes(entry)));
            }
        }
    }

    private byte[] bytes(Entry entry) throws BadRecordException {
        try {
            return archive.read(entry, most);
        } catch (IOException e) {
            throw new BadRecordException("an entry that can be read, found: " + e.getMessage());
        }
    }

    /** A sample that is an entry for what is short, and several for each of its lists. */
    private JsonObject parts(Entry shell) throws BadRecordException {
        RecordSize values = new RecordSize();
        ObjectNode sample = JsonObject.parse(bytes(shell), values).tree();
        String folder = shell.name().substring(0, shell.name().lastIndexOf('/') + 1);
        long size = shell.size();
        for (String sequence : SEQUENCES) {
            ArrayNode list = sample.putArray(sequence);
            for (Entry part : parts(folder + sequence + "/")) {
                size += part.size();
                if (size > most) {
                    throw new BadRecordException("a sample of at most " + most + " bytes, which the memory allows");
                }
                JsonObject.parse(wrapped(bytes(part)), values).list("list").forEach(list::add);
            }
        }
        JsonNode pool = sample.path("messages"); // of all that models were shown
        if (sample.remove("message_refs") instanceof ArrayNode ranges) {
            sample.set("messages", chosen(pool, ranges));
        }
        Entry metadata = archive.entries().get(folder + "metadata.json");
        if (metadata != null) {
            sample.set("metadata", JsonObject.parse(bytes(metadata), values).tree());
        }
        return new JsonObject(sample);
    }

    private static ArrayNode chosen(JsonNode pool, ArrayNode ranges) throws BadRecordException {
        ArrayNode chosen = JsonNodeFactory.instance.arrayNode();
        for (JsonNode range : ranges) {
            int end = range.path(1).asInt(-1);
            if (end < 0 || end > pool.size() || chosen.size() > MAX_MESSAGES) {
                throw new BadRecordException("\"message_refs\" to be ranges of " + pool.size() + " messages");
            }
            for (int i = Math.max(0, range.path(0).asInt(end)); i < end; i++) {
                chosen.add(pool.get(i));
            }
        }
        return chosen;
    }

    private static byte[] wrapped(byte[] list) {
        byte[] before = "{\"list\":".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(before.length + list.length + 1)
                .put(before)
                .put(list)
                .put((byte) '}')
                .array();
    }

    /** The entries whose names are the numbers of their first elements. */
    private List<Entry> parts(String folder) {
        return archive.entries().subMap(folder, folder + Character.MAX_VALUE).values().stream()
                .filter(entry -> entry.name().substring(folder.length()).matches(NUMBERED))
                .sorted(Comparator.comparingLong(entry ->
                        Long.parseLong(entry.name().substring(folder.length()).replace(".json", ""))))
                .toList();
    }
}
