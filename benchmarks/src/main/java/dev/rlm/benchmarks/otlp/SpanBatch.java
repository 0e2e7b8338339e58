package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.redaction.VariedTexts;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Requests of OTLP in protobuf, each with a whole trace: a root, and calls of a model with a text of {@link VariedTexts} as
 * question and one as answer. They are written by hand, since what sends them shares the processors.
 */
final class SpanBatch {
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int LENGTH = 2;
    private static final int TRACE_ID = 1;
    private static final int SPAN_ID = 2;
    private static final int PARENT_ID = 4;
    private static final int NAME = 5;
    private static final int KIND = 6;
    private static final int START = 7;
    private static final int END = 8;
    private static final int ATTRIBUTES = 9;
    private static final int CLIENT = 3;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private SpanBatch() {}

    /** Returns the request with the trace of that number, and so many spans. */
    static byte[] request(long trace, int spans) {
        SpanBatch scope = new SpanBatch();
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        for (int i = 1; i <= spans; i++) {
            scope.field(2, span(trace, i, now));
        }
        SpanBatch resource = new SpanBatch();
        resource.field(1, attribute("service.name", "load"));
        SpanBatch all = new SpanBatch();
        all.field(1, resource.bytes());
        all.field(2, scope.bytes());
        SpanBatch request = new SpanBatch();
        request.field(1, all.bytes());
        return request.bytes();
    }

    /** Returns a span; the first is the root. */
    private static byte[] span(long trace, int number, long now) {
        SpanBatch span = new SpanBatch();
        span.field(TRACE_ID, ByteBuffer.allocate(16).putLong(1).putLong(trace).array());
        span.field(SPAN_ID, ByteBuffer.allocate(8).putLong(number).array());
        if (number > 1) {
            span.field(PARENT_ID, ByteBuffer.allocate(8).putLong(1).array());
        }
        span.field(NAME, number == 1 ? "agent" : "chat gpt-x");
        span.tag(KIND, VARINT);
        span.varint(CLIENT);
        span.fixed(START, now + number);
        span.fixed(END, now + number + 1_000);
        if (number > 1) {
            int text = (int) (trace + number);
            span.field(ATTRIBUTES, attribute("gen_ai.operation.name", "chat"));
            span.field(ATTRIBUTES, attribute("gen_ai.provider.name", "openai"));
            span.field(ATTRIBUTES, attribute("gen_ai.request.model", "gpt-x"));
            span.field(ATTRIBUTES, attribute("gen_ai.prompt", VariedTexts.code(text)));
            span.field(ATTRIBUTES, attribute("gen_ai.completion", VariedTexts.output(text)));
        }
        return span.bytes();
    }

    private static byte[] attribute(String name, String value) {
        SpanBatch any = new SpanBatch();
        any.field(1, value);
        SpanBatch attribute = new SpanBatch();
        attribute.field(1, name);
        attribute.field(2, any.bytes());
        return attribute.bytes();
    }

    private void field(int number, String text) {
        field(number, text.getBytes(StandardCharsets.UTF_8));
    }

    private void field(int number, byte[] bytes) {
        tag(number, LENGTH);
        varint(bytes.length);
        out.writeBytes(bytes);
    }

    private void fixed(int number, long value) {
        tag(number, FIXED_64);
        out.writeBytes(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }

    private void tag(int number, int type) {
        varint((number << 3) | type);
    }

    private void varint(int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    private byte[] bytes() {
        return out.toByteArray();
    }
}
