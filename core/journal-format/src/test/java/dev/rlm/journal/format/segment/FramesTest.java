package dev.rlm.journal.format.segment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.compress.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed segments are files of frames that can be read alone, with a table of them at the end. */
class FramesTest {
    private static final int FRAME = 1 << 20;
    private static final int FOOTER = 9;

    @TempDir
    Path folder;

    private Segment segment;
    private byte[] text;

    @BeforeEach
    void compressSegment() throws IOException {
        segment = new Segment(folder, 1);
        StringBuilder lines = new StringBuilder();
        Random random = new Random(7);
        while (lines.length() < 5 * FRAME) {
            lines.append("line ")
                    .append(random.nextInt())
                    .append(" ü".repeat(random.nextInt(40)))
                    .append('\n');
        }
        text = lines.toString().getBytes(UTF_8);
        Files.write(segment.plain(), text);
        new Compression(Disk.LOCAL, () -> false).compress(segment);
        assertThat(segment.plain()).doesNotExist();
    }

    @Test
    void eachFrame_canBeReadAlone() throws IOException {
        byte[] file = Files.readAllBytes(segment.compressed());
        ByteBuffer table = table(file);

        int at = 0;
        int from = 0;
        while (table.remaining() > FOOTER) {
            int packed = table.getInt();
            int length = table.getInt();
            byte[] frame = Arrays.copyOfRange(file, at, at + packed);
            byte[] read = new ZstdInputStream(new ByteArrayInputStream(frame)).readAllBytes();
            assertThat(length).isLessThanOrEqualTo(FRAME);
            assertThat(read).isEqualTo(Arrays.copyOfRange(text, from, from + length));
            at += packed;
            from += length;
        }
        assertThat(from).isEqualTo(text.length);
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.1, 0.5, 0.9999, 1})
    void readerThatGoesOn_getsWhatFollows(double place) throws IOException {
        int offset = lineFeedBefore((int) (place * text.length));

        assertThat(read(offset)).isEqualTo(new String(text, offset, text.length - offset, UTF_8));
    }

    @Test
    void readerThatGoesOn_readsNoFrameBefore() throws IOException {
        byte[] file = Files.readAllBytes(segment.compressed());
        Arrays.fill(file, 0, 1_000, (byte) 0);
        Files.write(segment.compressed(), file);
        int offset = lineFeedBefore(3 * FRAME);

        assertThat(read(offset)).isEqualTo(new String(text, offset, text.length - offset, UTF_8));
        assertThatThrownBy(() -> read(0)).isInstanceOf(DamagedFileException.class);
    }

    @Tag("thorough")
    @Test
    void frameThatIsDamaged_givesNoLineThatWasNeverWritten() throws IOException {
        byte[] file = Files.readAllBytes(segment.compressed());
        String all = new String(text, UTF_8);
        Random random = new Random(11);
        for (int i = 0; i < 100; i++) {
            byte[] changed = file.clone();
            changed[random.nextInt(file.length / 2)] ^= (byte) (1 << random.nextInt(8));
            Files.write(segment.compressed(), changed);
            StringBuilder read = new StringBuilder();

            assertThatThrownBy(() -> segment.read(0, (bytes, from, length) -> read.append(line(bytes, from, length))))
                    .isInstanceOf(DamagedFileException.class);

            assertThat(all.startsWith(read.toString())).isTrue();
        }
    }

    @Test
    void fileWithoutItsTable_isReadFromItsBeginning() throws IOException {
        byte[] file = Files.readAllBytes(segment.compressed());
        Files.write(
                segment.compressed(),
                Arrays.copyOf(file, file.length - table(file).capacity() - 8));
        int offset = lineFeedBefore(3 * FRAME);

        assertThat(read(0)).isEqualTo(new String(text, UTF_8));
        assertThat(read(offset)).isEqualTo(new String(text, offset, text.length - offset, UTF_8));
    }

    @Tag("thorough")
    @Test
    void tableThatDoesNotFit_isNotBelieved() throws IOException {
        byte[] file = Files.readAllBytes(segment.compressed());
        int start = file.length - table(file).capacity();
        List<String> seen = new ArrayList<>();
        for (int at = start - 8; at < file.length; at++) {
            byte[] changed = file.clone();
            changed[at] ^= 1;
            Files.write(segment.compressed(), changed);
            StringBuilder read = new StringBuilder();
            try {
                segment.read(
                        0,
                        (bytes, from, length) -> read.append(new String(bytes, from, length, UTF_8))
                                .append('\n'));
            } catch (DamagedFileException e) {
                // said, and all lines before are here
            }
            if (!new String(text, UTF_8).startsWith(read.toString())) {
                seen.add("byte " + at);
            }
        }
        assertThat(seen).isEmpty();
    }

    private String read(long offset) throws IOException {
        StringBuilder read = new StringBuilder();
        segment.read(offset, (bytes, from, length) -> read.append(line(bytes, from, length)));
        return read.toString();
    }

    private static String line(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, UTF_8) + '\n';
    }

    private int lineFeedBefore(int offset) {
        int at = offset;
        while (at > 0 && text[at - 1] != '\n') {
            at--;
        }
        return at;
    }

    /** The table's entries and footer, behind the head of its frame, as the format says. */
    private static ByteBuffer table(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getInt(file.length - 4)).isEqualTo(0x8F92EAB1);
        int length = bytes.getInt(file.length - FOOTER) * 8 + FOOTER;
        assertThat(bytes.getInt(file.length - length - 8)).isEqualTo(0x184D2A5E);
        assertThat(bytes.getInt(file.length - length - 4)).isEqualTo(length);
        return ByteBuffer.wrap(Arrays.copyOfRange(file, file.length - length, file.length))
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
