package dev.rlm.gateway;

import dev.rlm.server.http.BoundedBytes;
import dev.rlm.server.http.JsonServer;
import dev.rlm.server.http.MemoryBudget;
import dev.rlm.server.http.RefusedException;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** Codings of bodies that a record can be read from. */
final class Codings {
    /** Those that replies may have. */
    static final Set<String> KNOWN = Set.of("gzip", "deflate", "identity");

    private Codings() {}

    /**
     * Decodes a body.
     *
     * @param coding as its header names it; {@code null} for none
     * @throws IOException if it is of another coding, not valid, or too long
     */
    static byte[] decoded(@Nullable String coding, byte[] body, int maxSize, MemoryBudget.Share memory)
            throws IOException {
        InputStream in = new ByteArrayInputStream(body);
        try (InputStream decoded = switch (coding == null ? "" : coding.strip().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> new GZIPInputStream(in);
            case "deflate" -> new InflaterInputStream(in);
            case "zstd" -> new ZstdInputStream(in);
            case "identity", "" -> in;
            default -> throw new IOException("its coding " + coding + " is not known");
        }) {
            if (decoded == in) {
                return body;
            }
            return BoundedBytes.read(decoded, maxSize, bytes -> {
                if (!memory.take(bytes)) {
                    throw JsonServer.tooLong(maxSize);
                }
            });
        } catch (RefusedException e) {
            throw new IOException("it is too long to be recorded", e);
        } catch (MalformedInputException e) {
            throw new IOException("it is no valid zstd", e);
        }
    }
}
