package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Answer to a request that was taken.
 *
 * @param rejected how many of its records were refused
 * @param message why; empty where there is nothing to say
 */
public record ExportResponse(Signal signal, long rejected, String message) {
    /** Returns it in JSON. */
    public byte[] json() {
        Map<String, Object> partial = new LinkedHashMap<>();
        if (rejected > 0) {
            partial.put(signal.rejected(), Long.toString(rejected)); // as protobuf's JSON writes 64 bits
        }
        if (!message.isEmpty()) {
            partial.put("errorMessage", message);
        }
        return Json.bytes(partial.isEmpty() ? Map.of() : Map.of("partialSuccess", partial));
    }

    /** Returns it in protobuf. */
    public byte[] protobuf() {
        ByteArrayOutputStream partial = new ByteArrayOutputStream();
        if (rejected > 0) {
            partial.write(1 << 3);
            varint(partial, rejected);
        }
        if (!message.isEmpty()) {
            bytes(partial, 2, message.getBytes(StandardCharsets.UTF_8));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (partial.size() > 0) {
            bytes(all, 1, partial.toByteArray());
        }
        return all.toByteArray();
    }

    /** Returns a google.rpc.Status, as protobuf: what an error answers. */
    public static byte[] status(int code, String message) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(1 << 3);
        varint(out, code);
        bytes(out, 2, message.getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    /** Returns the header that tells a client of gRPC to send again after a second. */
    public static String retryDetails(int code) {
        ByteArrayOutputStream delay = new ByteArrayOutputStream();
        bytes(delay, 1, new byte[] {1 << 3, 1}); // one second
        ByteArrayOutputStream any = new ByteArrayOutputStream();
        bytes(any, 1, "type.googleapis.com/google.rpc.RetryInfo".getBytes(StandardCharsets.US_ASCII));
        bytes(any, 2, delay.toByteArray());
        ByteArrayOutputStream status = new ByteArrayOutputStream();
        status.write(1 << 3);
        varint(status, code);
        bytes(status, 3, any.toByteArray());
        return Base64.getEncoder().withoutPadding().encodeToString(status.toByteArray());
    }

    private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        out.write(field << 3 | 2);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while (rest > 0x7f) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
