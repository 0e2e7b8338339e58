package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.LineBuffer;
import dev.rlm.sinks.jsonl.segment.LineFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Notes on the recovery of a writer that died, in the file {@value #FILE} of its folder: that its runs were given their
 * ends, and the sinks and targets that all of them have been sent to. Only the holder of the folder's lock may write
 * them; reading needs no lock.
 */
final class RecoveryNotes {
    static final String FILE = "recovery.jsonl";

    private static final String ENDS_WRITTEN = "ends_written";
    private static final String SENT = "sent";

    private final Path file;
    private final Set<ResendTarget> sent = new HashSet<>();
    private boolean endsWritten;

    private RecoveryNotes(Path file) {
        this.file = file;
    }

    /** Reads them, as far as they are whole. */
    static RecoveryNotes read(Path folder) throws IOException {
        RecoveryNotes notes = new RecoveryNotes(folder.resolve(FILE));
        LineFile.read(notes.file, notes::line);
        return notes;
    }

    private void line(byte[] bytes, int from, int length) {
        try {
            Fields line = Fields.parse(bytes, from, length);
            switch (line.text("type")) {
                case ENDS_WRITTEN -> endsWritten = true;
                case SENT -> sent.add(new ResendTarget(line.text("sink"), line.text("target")));
                default -> {
                    // of a later version
                }
            }
        } catch (RuntimeException e) {
            // a damaged line: what it tells is done again
        }
    }

    /** Returns whether all of the writer's runs have their ends. */
    boolean areEndsWritten() {
        return endsWritten;
    }

    /** Returns the targets to which all of the writer's runs have been sent, and at which they have arrived. */
    Set<ResendTarget> sent() {
        return Set.copyOf(sent);
    }

    /** Returns whether all of the writer's runs have been sent there, and have arrived. */
    boolean isSentTo(ResendTarget target) {
        return sent.contains(target);
    }

    void endsWritten(int runs, Instant now) throws IOException {
        LineBuffer note = new LineBuffer();
        JsonLine.append(
                note, line -> line.put("type", ENDS_WRITTEN).put("time", now).put("runs", runs));
        LineFile.append(file, note);
        endsWritten = true;
    }

    void sentTo(ResendTarget target, Instant now) throws IOException {
        LineBuffer note = new LineBuffer();
        JsonLine.append(
                note,
                line -> line.put("type", SENT)
                        .put("time", now)
                        .put("sink", target.sink())
                        .put("target", target.place()));
        LineFile.append(file, note);
        sent.add(target);
    }
}
