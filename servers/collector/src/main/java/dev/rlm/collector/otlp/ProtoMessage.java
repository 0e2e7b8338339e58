package dev.rlm.collector.otlp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Messages of OTLP's protobuf with those of their fields that are read: the number, the name that OTLP's JSON gives it, and the type;
 * a star stands for many. A message is read as the tree that its JSON would be; unknown fields are passed over.
 */
enum ProtoMessage {
    RESOURCE("1 attributes KEY_VALUE*"),
    SPAN("1 traceId HEX, 2 spanId HEX, 4 parentSpanId HEX, 5 name TEXT, 6 kind VARINT, 7 startTimeUnixNano FIXED64,"
            + " 8 endTimeUnixNano FIXED64, 9 attributes KEY_VALUE*, 11 events EVENT*, 15 status STATUS"),
    EVENT("1 timeUnixNano FIXED64, 2 name TEXT, 3 attributes KEY_VALUE*"),
    STATUS("2 message TEXT, 3 code VARINT"),
    LOG_RECORD("1 timeUnixNano FIXED64, 5 body ANY_VALUE, 6 attributes KEY_VALUE*, 9 traceId HEX, 10 spanId HEX,"
            + " 11 observedTimeUnixNano FIXED64, 12 eventName TEXT"),
    METRIC("1 name TEXT, 5 gauge NUMBERS, 7 sum NUMBERS, 9 histogram OTHERS, 10 exponentialHistogram OTHERS,"
            + " 11 summary OTHERS"),
    NUMBERS("1 dataPoints NUMBER*"),
    NUMBER("3 timeUnixNano FIXED64, 4 asDouble DOUBLE, 6 asInt FIXED64, 7 attributes KEY_VALUE*"),
    OTHERS("1 dataPoints OTHER*"),
    OTHER(""), // which is counted alone
    KEY_VALUE("1 key TEXT, 2 value ANY_VALUE"),
    ANY_VALUE("1 stringValue TEXT, 2 boolValue FLAG, 3 intValue VARINT, 4 doubleValue DOUBLE, 5 arrayValue ARRAY_VALUE,"
            + " 6 kvlistValue KEY_VALUE_LIST, 7 bytesValue BASE64"),
    ARRAY_VALUE("1 values ANY_VALUE*"),
    KEY_VALUE_LIST("1 values KEY_VALUE*");

    private static final int MAX_DEPTH = 64;
    private static final int MESSAGE_SIZE = 320; // bytes of the heap, about
    private static final int FIELD_SIZE = 128;
    private static final Map<ProtoMessage, Map<Integer, Field>> FIELDS = new EnumMap<>(ProtoMessage.class);

    static {
        for (ProtoMessage each : values()) {
            FIELDS.put(
                    each,
                    Arrays.stream(each.fields.split(", "))
                            .filter(field -> !field.isEmpty())
                            .map(field -> field.split(" "))
                            .collect(Collectors.toMap(
                                    field -> Integer.valueOf(field[0]), field -> new Field(field[1], field[2]))));
        }
    }

    private final String fields;

    ProtoMessage(String fields) {
        this.fields = fields;
    }

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
        Map<Integer, Field> known = FIELDS.getOrDefault(this, Map.of());
        ProtoReader in = new ProtoReader(message);
        for (int number = in.next(); number != 0; number = in.next()) {
            Field field = known.get(number);
            if (field == null) {
                in.skip();
            } else {
                memory.accept(FIELD_SIZE);
                field.put(tree, in, memory, depth - 1);
            }
        }
        return tree;
    }

    private record Field(String name, String type) {
        void put(ObjectNode tree, ProtoReader in, IntConsumer memory, int depth) throws MalformedException {
            switch (type) {
                case "TEXT" -> {
                    ByteBuffer text = in.bytes();
                    memory.accept(2 * text.remaining());
                    tree.put(name, StandardCharsets.UTF_8.decode(text).toString());
                }
                case "HEX" -> tree.put(name, HexFormat.of().formatHex(array(in.bytes())));
                case "BASE64" -> tree.put(name, Base64.getEncoder().encodeToString(array(in.bytes())));
                case "VARINT" -> tree.put(name, in.varint());
                case "FIXED64" -> tree.put(name, in.fixed64());
                case "DOUBLE" -> tree.put(name, Double.longBitsToDouble(in.fixed64()));
                case "FLAG" -> tree.put(name, in.varint() != 0);
                default -> {
                    boolean many = type.endsWith("*");
                    ProtoMessage message = valueOf(many ? type.substring(0, type.length() - 1) : type);
                    ObjectNode value = message.read(in.bytes(), memory, depth);
                    var unused = many ? tree.withArray(name).add(value) : tree.set(name, value);
                }
            }
        }

        private static byte[] array(ByteBuffer bytes) {
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        }
    }
}
