package dev.rlm.collector.otlp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.IntConsumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages of OTLP's protobuf with those of their fields that are read, by number, and the names that OTLP's JSON gives
 * them. A message is read as the tree that its JSON would be; unknown fields are passed over.
 */
enum ProtoMessage {
    RESOURCE,
    SCOPE,
    SPAN,
    EVENT,
    STATUS,
    LOG_RECORD,
    KEY_VALUE,
    ANY_VALUE,
    ARRAY_VALUE,
    KEY_VALUE_LIST;

    private static final int MAX_DEPTH = 64;
    private static final int MESSAGE_SIZE = 320; // bytes of the heap, about
    private static final int FIELD_SIZE = 128;

    private static final Field ATTRIBUTES = new Field("attributes", Kind.MESSAGES, KEY_VALUE);
    private static final Map<ProtoMessage, Map<Integer, Field>> FIELDS = Map.of(
            RESOURCE, Map.of(1, ATTRIBUTES),
            SCOPE, Map.of(1, Field.of("name", Kind.TEXT), 2, Field.of("version", Kind.TEXT)),
            SPAN,
                    Map.of(
                            1, Field.of("traceId", Kind.HEX),
                            2, Field.of("spanId", Kind.HEX),
                            4, Field.of("parentSpanId", Kind.HEX),
                            5, Field.of("name", Kind.TEXT),
                            6, Field.of("kind", Kind.NUMBER),
                            7, Field.of("startTimeUnixNano", Kind.FIXED64),
                            8, Field.of("endTimeUnixNano", Kind.FIXED64),
                            9, ATTRIBUTES,
                            11, new Field("events", Kind.MESSAGES, EVENT),
                            15, new Field("status", Kind.MESSAGE, STATUS)),
            EVENT,
                    Map.of(
                            1, Field.of("timeUnixNano", Kind.FIXED64),
                            2, Field.of("name", Kind.TEXT),
                            3, ATTRIBUTES),
            STATUS, Map.of(2, Field.of("message", Kind.TEXT), 3, Field.of("code", Kind.NUMBER)),
            LOG_RECORD,
                    Map.of(
                            1, Field.of("timeUnixNano", Kind.FIXED64),
                            11, Field.of("observedTimeUnixNano", Kind.FIXED64),
                            6, ATTRIBUTES,
                            9, Field.of("traceId", Kind.HEX),
                            10, Field.of("spanId", Kind.HEX),
                            12, Field.of("eventName", Kind.TEXT)),
            KEY_VALUE, Map.of(1, Field.of("key", Kind.TEXT), 2, new Field("value", Kind.MESSAGE, ANY_VALUE)),
            ANY_VALUE,
                    Map.of(
                            1, Field.of("stringValue", Kind.TEXT),
                            2, Field.of("boolValue", Kind.FLAG),
                            3, Field.of("intValue", Kind.NUMBER),
                            4, Field.of("doubleValue", Kind.DOUBLE),
                            5, new Field("arrayValue", Kind.MESSAGE, ARRAY_VALUE),
                            6, new Field("kvlistValue", Kind.MESSAGE, KEY_VALUE_LIST),
                            7, Field.of("bytesValue", Kind.BASE64)),
            ARRAY_VALUE, Map.of(1, new Field("values", Kind.MESSAGES, ANY_VALUE)),
            KEY_VALUE_LIST, Map.of(1, new Field("values", Kind.MESSAGES, KEY_VALUE)));

    /**
     * Reads a message.
     *
     * @param memory receives about how many bytes the next part of the tree takes, before it is made; it may throw
     */
    ObjectNode read(ByteBuffer message, IntConsumer memory) throws MalformedException {
        return read(message, memory, MAX_DEPTH);
    }

    private ObjectNode read(ByteBuffer message, IntConsumer memory, int depth) throws MalformedException {
        if (depth == 0) {
            throw new MalformedException("values lie deeper in each other than " + MAX_DEPTH);
        }
        memory.accept(MESSAGE_SIZE);
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        Map<Integer, Field> fields = FIELDS.getOrDefault(this, Map.of());
        ProtoReader in = new ProtoReader(message);
        for (int number = in.next(); number != 0; number = in.next()) {
            Field field = fields.get(number);
            if (field == null) {
                in.skip();
            } else {
                memory.accept(FIELD_SIZE);
                field.put(tree, in, memory, depth - 1);
            }
        }
        return tree;
    }

    private enum Kind {
        TEXT,
        HEX,
        BASE64,
        NUMBER,
        FIXED64,
        DOUBLE,
        FLAG,
        MESSAGE,
        MESSAGES
    }

    private record Field(String name, Kind kind, ProtoMessage message) {
        static Field of(String name, Kind kind) {
            return new Field(name, kind, ANY_VALUE);
        }

        void put(ObjectNode tree, ProtoReader in, IntConsumer memory, int depth) throws MalformedException {
            switch (kind) {
                case TEXT -> {
                    ByteBuffer text = in.bytes();
                    memory.accept(2 * text.remaining());
                    tree.put(name, StandardCharsets.UTF_8.decode(text).toString());
                }
                case HEX -> tree.put(name, HexFormat.of().formatHex(array(in.bytes())));
                case BASE64 -> tree.put(name, Base64.getEncoder().encodeToString(array(in.bytes())));
                case NUMBER -> tree.put(name, in.varint());
                case FIXED64 -> tree.put(name, in.fixed64());
                case DOUBLE -> tree.put(name, Double.longBitsToDouble(in.fixed64()));
                case FLAG -> tree.put(name, in.varint() != 0);
                case MESSAGE -> tree.set(name, message.read(in.bytes(), memory, depth));
                case MESSAGES -> tree.withArray(name).add(message.read(in.bytes(), memory, depth));
            }
        }

        private static byte[] array(ByteBuffer bytes) {
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        }
    }
}
