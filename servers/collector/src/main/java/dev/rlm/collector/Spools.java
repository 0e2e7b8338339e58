package dev.rlm.collector;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Folders of spools in a journal, {@code collect}, {@code collect-2} …: one for each collector that records there at a time. */
final class Spools {
    private static final int MOST = 256;
    private static final int LINES = 256; // that are synced at once

    private Spools() {}

    /**
     * Opens the first one that no process has, and moves what waits in others that no process has into it.
     *
     * @throws IOException if none can be used
     */
    static Spool open(Path journal) throws IOException {
        Spool own = null;
        try {
            for (int i = 1; i <= MOST && (own == null || Files.exists(folder(journal, i))); i++) {
                try {
                    Spool found = new Spool(folder(journal, i));
                    if (own == null) {
                        own = found;
                    } else {
                        move(found, own);
                    }
                } catch (Spool.InUseException e) {
                    // by another collector
                }
            }
        } catch (IOException | RuntimeException e) {
            if (own != null) {
                own.close();
            }
            throw e;
        }
        if (own == null) {
            throw new IOException("other rlm collects record in all " + MOST + " of them");
        }
        return own;
    }

    /** Returns the folder for what is known of ended runs, which all collectors of a journal share. */
    static Path ended(Path journal) {
        return folder(journal, 1).resolve("ended");
    }

    private static Path folder(Path journal, int number) {
        return journal.resolve(number == 1 ? "collect" : "collect-" + number);
    }

    /** Moves all spans. Where that is cut short they are found in both, and each is known by its id. */
    private static void move(Spool from, Spool to) throws IOException {
        try (from) {
            List<Spool.Position> places = new ArrayList<>();
            from.read((place, line) -> places.add(place));
            List<byte[]> lines = new ArrayList<>();
            for (Spool.Position place : places) {
                lines.add(from.line(place));
                if (lines.size() == LINES) {
                    var unused = to.append(lines);
                    lines.clear();
                }
            }
            var unused = to.append(lines);
            from.clear();
        }
    }
}
