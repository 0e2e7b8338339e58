package dev.rlm.journal;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.line.Fields;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * Notes on the recovery of a writer that died, in the file {@value JournalFolder#RECOVERY} of its folder: that its runs were given their
 * ends, and the sinks and targets that all of them have been sent to. Only the holder of the folder's lock may write
 * them; reading needs no lock.
 */
public final class RecoveryNotes {
    private static final String SENT = "sent";

    private final Path file;
    private final Set<ResendTarget> sent = new HashSet<>();
    private boolean endsWritten;

    private RecoveryNotes(Path file) {
        this.file = file;
    }

    /** Reads them, as far as they are whole. */
    public static RecoveryNotes read(Path folder) throws IOException {
        RecoveryNotes notes = new RecoveryNotes(folder.resolve(JournalFolder.RECOVERY));
        LineFile.read(notes.file, notes::line);
        return notes;
    }

    private void line(byte[] bytes, int from, int length) {
        try {
            Fields line = Fields.parse(bytes, from, length);
            switch (line.text("type")) {
                case JournalFolder.RECOVERED -> endsWritten = true;
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
    public boolean areEndsWritten() {
        return endsWritten;
    }

    /** Returns the targets to which all of the writer's runs have been sent, and at which they have arrived. */
    public Set<ResendTarget> sent() {
        return Set.copyOf(sent);
    }

    /** Returns whether all of the writer's runs have been sent there, and have arrived. */
    public boolean isSentTo(ResendTarget target) {
        return sent.contains(target);
    }

    public void endsWritten(int runs, Instant now) throws IOException {
        LineBuffer note = new LineBuffer();
        JsonLine.append(
                note,
                line -> line.put("type", JournalFolder.RECOVERED)
                        .put("time", now)
                        .put("runs", runs));
        LineFile.append(file, note);
        endsWritten = true;
    }

    public void sentTo(ResendTarget target, Instant now) throws IOException {
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
