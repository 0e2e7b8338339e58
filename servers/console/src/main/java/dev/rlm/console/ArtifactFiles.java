package dev.rlm.console;

import dev.rlm.server.http.RefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files that runs of a journal kept, by the SHA-256 of their bytes: no other file is read, whatever a journal says. */
final class ArtifactFiles {
    private static final String FOLDER = "artifacts";
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final long MOST_BYTES = 64 << 20; // of a kept file

    private ArtifactFiles() {}

    /** Returns the bytes of a kept file. */
    static byte[] read(Path journal, String hash) throws RefusedException {
        if (!HASH.matcher(hash).matches()) {
            throw new RefusedException(400, "'" + hash + "' is no SHA-256: expected 64 hexadecimal digits");
        }
        try {
            for (Path folder : folders(journal)) {
                Path file = folder.resolve(FOLDER).resolve(hash);
                if (isDirectory(folder.resolve(FOLDER))
                        && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                        && Files.size(file) <= MOST_BYTES) {
                    byte[] bytes = Files.readAllBytes(file);
                    if (HexFormat.of().formatHex(Bytes.sha256(bytes)).equals(hash)) {
                        return bytes;
                    }
                    throw new RefusedException(500, "the file " + hash + " is damaged: its bytes have another hash");
                }
            }
        } catch (IOException e) {
            throw new RefusedException(500, "the file " + hash + " cannot be read: " + e);
        }
        throw new RefusedException(404, "the journal has no file " + hash);
    }

    private static List<Path> folders(Path journal) throws IOException {
        try (Stream<Path> entries = Files.list(journal)) {
            return Stream.concat(Stream.of(journal), entries.filter(ArtifactFiles::isDirectory))
                    .toList();
        }
    }

    private static boolean isDirectory(Path folder) {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the media type of bytes, as they tell it: that of a picture that a browser draws without running anything, or of any bytes. */
    static String type(byte[] bytes) {
        String head = new String(bytes, 0, Math.min(12, bytes.length), StandardCharsets.ISO_8859_1);
        if (head.startsWith("\u0089PNG\r\n")) {
            return "image/png";
        } else if (head.startsWith("\u00ff\u00d8\u00ff")) {
            return "image/jpeg";
        } else if (head.startsWith("GIF8")) {
            return "image/gif";
        } else if (head.startsWith("RIFF") && head.endsWith("WEBP")) {
            return "image/webp";
        }
        return "application/octet-stream";
    }
}
