package dev.rlm.sinks.otel.backend;

import static java.util.stream.Collectors.toUnmodifiableMap;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The plain Java form of OTLP's ids, values and attributes. */
final class OtlpValues {
    private OtlpValues() {}

    /** Lower-case hexadecimal digits, empty for an id that is not set. */
    static String hex(ByteString id) {
        return HexFormat.of().formatHex(id.toByteArray());
    }

    /** Attributes by key; a key given twice is an error, as OTLP has it. */
    static Map<String, Object> map(List<KeyValue> attributes) {
        return attributes.stream().collect(toUnmodifiableMap(KeyValue::getKey, each -> value(each.getValue())));
    }

    /** A String, Boolean, Long, Double, List, Map or {@link ByteString}; the Java agent's SDK so writes an empty text. */
    static Object value(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case BOOL_VALUE -> value.getBoolValue();
            case INT_VALUE -> value.getIntValue();
            case DOUBLE_VALUE -> value.getDoubleValue();
            case BYTES_VALUE -> value.getBytesValue();
            case ARRAY_VALUE ->
                value.getArrayValue().getValuesList().stream()
                        .map(OtlpValues::value)
                        .toList();
            case KVLIST_VALUE -> map(value.getKvlistValue().getValuesList());
            case VALUE_NOT_SET -> "";
            default -> throw new IllegalArgumentException("no value: " + value.getValueCase());
        };
    }
}
