package dev.rlm.sinks.core.content;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.redaction.Redaction;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files that runs keep, as far as they are not too large, and takes secrets out of them: out of text, which is what
 * can be read as UTF-8. Pictures, sound and video are kept where no secret is found in their bytes, other binary files only
 * where the configuration says so. Safe for use by several threads.
 */
public final class ArtifactReader {
    private static final String SIZE = "RLM_ARTIFACT_SIZE";
    private static final long DEFAULT_SIZE = 10_000_000;
    private static final long MAX_SIZE = 64L << 20; // no queue holds more
    private static final String UNKNOWN = "application/octet-stream";
    private static final Pattern TEXT =
            Pattern.compile("(?i)text/.*|.*[/+](json|xml|yaml|csv|javascript|x-ndjson|toml|sql)\\b.*");
    private static final Pattern MEDIA = Pattern.compile("(?i)(image|audio|video)/.*");

    private final Redaction redaction;
    private final long maxSize;
    private final boolean binary;

    /** A reader as a configuration says; the usual one where there is none. */
    public ArtifactReader(Redaction redaction, @Nullable SinkConfig config) {
        this.redaction = redaction;
        maxSize = config == null ? DEFAULT_SIZE : config.shared().bytes(SIZE, DEFAULT_SIZE);
        binary = config != null && config.shared().bool("RLM_ARTIFACT_BINARY", false);
        if (config != null && maxSize > MAX_SIZE) {
            throw config.shared().invalid(SIZE, "at most 64MiB");
        }
    }

    /** The file as it is now. It is read at once, on the caller's thread; its secrets are taken out later. */
    public ArtifactSavedBuilder read(Path file) {
        String name = Objects.toString(file.getFileName(), file.toString());
        String type = Objects.requireNonNullElse(URLConnection.guessContentTypeFromName(name), UNKNOWN);
        ArtifactSavedBuilder read = label(name, type, redaction.name(file.toString()));
        boolean interrupted = Thread.interrupted(); // would close the file
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                return read.absence("no_regular_file"); // to open a pipe might take for ever
            }
            read.size(attributes.size());
            return attributes.size() > maxSize ? read.absence("too_large") : read(file, type, read);
        } catch (IOException | SecurityException e) {
            return read.absence("unreadable");
        } catch (OutOfMemoryError e) {
            return read.absence("out_of_memory");
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private ArtifactSavedBuilder read(Path file, String type, ArtifactSavedBuilder read) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] raw = in.readNBytes((int) maxSize + 1); // it may be growing
            read.size(raw.length);
            return raw.length > maxSize ? read.absence("too_large") : read.content(clean(type, raw.length, () -> raw));
        }
    }

    /** Bytes as a file. */
    public ArtifactSavedBuilder of(String name, @Nullable String mediaType, byte[] bytes) {
        String type = mediaType == null || mediaType.isBlank() ? UNKNOWN : mediaType;
        ArtifactSavedBuilder read = label(name, type, "").size(bytes.length);
        if (bytes.length > maxSize) {
            return read.absence("too_large");
        }
        byte[] raw = bytes.clone();
        return read.content(clean(type, raw.length, () -> raw));
    }

    private ArtifactSavedBuilder label(String name, String mediaType, String path) {
        return ArtifactSavedBuilder.builder()
                .name(redaction.name(name))
                .mediaType(redaction.name(mediaType))
                .sha256("")
                .path(path);
    }

    /** The file of an event that was made elsewhere, within the bound and without secrets. */
    ArtifactSaved clean(ArtifactSaved event) {
        FileContent raw = event.content();
        if (raw == null) {
            return event;
        }
        ArtifactSavedBuilder clean = ArtifactSavedBuilder.builder(event).sha256("");
        if (raw.weight() > maxSize) {
            return clean.content(null).absence("too_large").build();
        }
        return clean.content(clean(event.mediaType(), raw.weight(), () -> bytes(raw)))
                .build();
    }

    private static byte[] bytes(FileContent raw) throws IOException {
        if (raw.absence() != null) {
            throw new IOException(raw.absence());
        }
        byte[] bytes = new byte[raw.bytes().remaining()];
        raw.bytes().get(bytes);
        return bytes;
    }

    private FileContent clean(String mediaType, int weight, Callable<byte[]> raw) {
        return new FileContent(weight, () -> clean(mediaType, raw.call()));
    }

    private byte[] clean(String mediaType, byte[] raw) throws IOException {
        if (!redaction.isEnabled()) {
            return raw;
        }
        String text = text(raw);
        if (text != null) {
            String clean = redaction.text(text);
            if (clean.equals(Content.FAILED)) {
                throw new IOException("redaction_failed");
            }
            return clean.equals(text) ? raw : clean.getBytes(StandardCharsets.UTF_8);
        } else if (TEXT.matcher(mediaType).matches()) {
            throw new IOException("not_utf8"); // its text cannot be read, and may hold secrets
        } else if (!binary && !MEDIA.matcher(mediaType).matches()) {
            throw new IOException("binary");
        }
        String latin = new String(raw, StandardCharsets.ISO_8859_1);
        String narrow = latin.replace("\0", ""); // as characters of two bytes are
        if (holdsSecret(latin) || (narrow.length() < latin.length() && holdsSecret(narrow))) {
            throw new IOException("secret");
        }
        return raw;
    }

    private boolean holdsSecret(String text) {
        return !redaction.text(text).equals(text);
    }

    /** Returns the bytes' text in UTF-8; {@code null} if they are not text. */
    private static @Nullable String text(byte[] raw) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(raw))
                    .toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
