package dev.rlm.journal;

import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Plain text of compressed segments that a first reading keeps for the second one, as far as there is room: to decompress it again would
 * take a sixth of the processor time of a report. For one thread.
 */
final class KeptText {
    private final Map<Segment, List<byte[]>> segments = new HashMap<>();
    private long room;

    /** Makes room for an eighth of the heap, and for four segments of the usual size at most. */
    KeptText() {
        this(Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8));
    }

    KeptText(long room) {
        this.room = room;
    }

    /** Reads a segment, and keeps its text where it is compressed, undamaged and not too long. */
    LineFile.Position readAndKeep(Segment segment, long offset, LineFile.Blocks blocks, LineFile.Lines rest)
            throws IOException {
        if (offset > 0 || !segment.file().equals(segment.compressed())) {
            return segment.read(offset, blocks, rest);
        }
        long before = room;
        boolean kept = false;
        List<byte[]> text = new ArrayList<>();
        try {
            LineFile.Position end = segment.read(
                    0,
                    (bytes, to) -> {
                        room -= to;
                        if (room >= 0) {
                            text.add(Arrays.copyOf(bytes, to));
                        } else {
                            text.clear();
                        }
                        return blocks.accept(bytes, to);
                    },
                    rest);
            kept = room >= 0 && !end.torn();
            return end;
        } finally {
            if (kept) {
                segments.put(segment, text);
            } else {
                room = before;
            }
        }
    }

    /** Reads a segment from the text that was kept, which is let go, or else from its file. */
    LineFile.Position take(Segment segment, long offset, LineFile.Blocks blocks, LineFile.Lines rest)
            throws IOException {
        List<byte[]> text = offset > 0 ? null : segments.remove(segment);
        if (text == null) {
            return segment.read(offset, blocks, rest);
        }
        long end = 0;
        for (byte[] lines : text) {
            end += lines.length;
            blocks.accept(lines, lines.length);
        }
        return new LineFile.Position(end, false);
    }
}
