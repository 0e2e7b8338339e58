package dev.rlm.journal.maintenance;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.JournalScan;
import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.LineRewrite;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes one folder of several whose writers have all ended well, or all died and been sent to the same sinks: with all their lines,
 * in the order of the folders, each writer's behind a line that names it.
 */
final class FolderMerge {
    private static final long SEGMENT = 64 << 20; // bytes of text
    private static final long WORTH_COMPRESSING = 10_000_000;
    private static final Duration DAY = Duration.ofDays(1); // of retention, which goes by segments
    private static final List<String> ONE_OF_EACH = List.of(JournalFolder.SUMMARIES, JournalFolder.RECOVERY);

    private final Path target;
    private final LineRewrite rewrite = new LineRewrite(Disk.LOCAL);
    private final List<Path> merged = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>(); // that are to be one segment
    private final Map<String, Integer> torn = new HashMap<>(); // how many there are of a file
    private int segments;
    private long text; // bytes of the parts
    private FileTime earliest = FileTime.fromMillis(0); // change of the parts
    private FileTime latest = earliest;

    /** Begins one in a folder that is empty. */
    FolderMerge(Path target) {
        this.target = target;
    }

    /**
     * Adds a folder.
     *
     * @throws IOException if something cannot be written; then there is nothing to go on with
     */
    void add(Source source) throws IOException {
        keepFiles(source.folder());
        for (Part part : source.parts()) {
            if (!parts.isEmpty() && !fits(part)) {
                writeSegment();
            }
            begin(part);
        }
        merged.add(source.folder());
    }

    private boolean fits(Part part) {
        FileTime first = min(earliest, part.time());
        FileTime last = max(latest, part.time());
        return text + part.text() <= SEGMENT
                && Duration.between(first.toInstant(), last.toInstant()).compareTo(DAY) <= 0;
    }

    private void begin(Part part) {
        earliest = parts.isEmpty() ? part.time() : min(earliest, part.time());
        latest = parts.isEmpty() ? part.time() : max(latest, part.time());
        text += part.text();
        parts.add(part);
    }

    private static FileTime min(FileTime one, FileTime other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static FileTime max(FileTime one, FileTime other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void writeSegment() throws IOException {
        Segment segment = new Segment(target, ++segments);
        boolean compressed = text >= WORTH_COMPRESSING || parts.stream().anyMatch(Part::isCompressed);
        rewrite.write(compressed ? segment.compressed() : segment.plain(), latest, lines -> {
            for (Part part : parts) {
                part.writeTo(lines);
            }
        });
        parts.clear();
        text = 0;
    }

    /** Keeps what lies in files of its own: whole, under a name that is free. */
    private void keepFiles(Path folder) throws IOException {
        ArtifactFiles.linkAll(folder, target);
        for (Path file : Maintenance.list(folder)) {
            String name = file.getFileName().toString();
            if (name.endsWith(".torn")) {
                String stem = name.substring(0, name.indexOf('.'));
                int number = torn.merge(stem, 1, Integer::sum);
                ArtifactFiles.link(file, target.resolve(stem + (number == 1 ? "" : "." + number) + ".torn"));
            }
        }
    }

    /** Returns how many folders were added. */
    int folders() {
        return merged.size();
    }

    /** Writes the rest, and returns the new folder. */
    Path finish() throws IOException {
        if (!parts.isEmpty()) {
            writeSegment();
        }
        for (String name : ONE_OF_EACH) {
            rewrite.write(target.resolve(name), latest, lines -> {
                for (Path folder : merged) {
                    if (PrivateFiles.isFile(folder.resolve(name))) {
                        LineRewrite.read(folder.resolve(name), whole(lines));
                    }
                }
            });
        }
        if (PrivateFiles.isFile(target.resolve(JournalFolder.RECOVERY))) { // which only writers have that died
            PrivateFiles.open(target.resolve(WriterLock.FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
        }
        rewrite.write(target.resolve(JournalFolder.REPLACES), latest, lines -> {
            for (Path folder : merged) {
                byte[] name = (folder.getFileName() + "\n").getBytes(StandardCharsets.UTF_8);
                lines.accept(name, 0, name.length);
            }
        });
        return target;
    }

    /** Gives a last line its line feed where it lacks it. */
    private static LineRewrite.LineTaker whole(LineRewrite.LineTaker lines) {
        return (bytes, from, length) -> {
            lines.accept(bytes, from, length);
            if (bytes[from + length - 1] != '\n') {
                lines.accept(new byte[] {'\n'}, 0, 1);
            }
        };
    }

    /** A folder that was read to its end. */
    record Source(Path folder, List<Part> parts) {
        /**
         * Reads it.
         *
         * @throws IOException if it cannot be read to its end
         * @throws JournalException if it was written by a newer version
         */
        static Source of(Path folder) throws IOException {
            List<Part> parts = new ArrayList<>();
            for (Segment segment : Segment.of(folder)) {
                parts.add(Part.of(segment));
            }
            return new Source(folder, parts);
        }
    }

    /**
     * A segment of such a folder.
     *
     * @param text length of its text in bytes
     * @param headed whether it begins with a line that names the writer of what follows
     */
    private record Part(Segment segment, FileTime time, long text, boolean isCompressed, boolean headed) {
        static Part of(Segment segment) throws IOException {
            Path file = segment.file();
            long[] text = {0};
            boolean[] headed = {false};
            LineRewrite.read(file, (bytes, from, length) -> {
                Fields header = text[0] == 0 ? header(bytes, from, length) : null;
                if (header != null) {
                    JournalScan.checkVersion(segment, header);
                    headed[0] = header.has(JournalHeader.WRITER);
                }
                text[0] += length;
            });
            boolean compressed = file.equals(segment.compressed());
            return new Part(segment, Files.getLastModifiedTime(file), text[0], compressed, headed[0]);
        }

        void writeTo(LineRewrite.LineTaker to) throws IOException {
            if (!headed) {
                LineBuffer header = new LineBuffer();
                JournalHeader.append(header, String.valueOf(segment.folder().getFileName()));
                to.accept(header.toByteArray(), 0, header.size());
            }
            LineRewrite.LineTaker whole = whole(to);
            long[] read = {0};
            LineRewrite.read(segment.file(), (bytes, from, length) -> {
                if (headed || read[0] > 0 || header(bytes, from, length) == null) {
                    whole.accept(bytes, from, length);
                }
                read[0] += length;
            });
            if (read[0] != text) {
                throw new IOException(segment + " has changed meanwhile: try again");
            }
        }

        private static @Nullable Fields header(byte[] bytes, int from, int length) {
            int end = LineHead.wholeEnd(bytes, from, from + length);
            LineHead head = end < 0 ? null : LineHead.of(bytes, from, end - from);
            return head != null && head.type().equals(JournalHeader.TYPE)
                    ? Fields.parse(bytes, from, end - from)
                    : null;
        }
    }
}
