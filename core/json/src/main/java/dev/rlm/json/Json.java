package dev.rlm.json;

import dev.rlm.sinks.event.Content;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Reads and writes JSON. An object is all of its text. NaN, Infinity and -Infinity are numbers, since Python and others
 * write them; a number too large for a double is an error, since it would become infinite. Texts are of any length: the
 * caller bounds the input. Safe for use by several threads.
 */
public final class Json {
    /** For replies of servers: of fields with the same name the last one counts; at most 500 levels deep. */
    public static final Json REPLY = new Json(500, false);

    /** For records: a name that occurs twice in an object is an error, since one value would be lost; at most 64 levels. */
    public static final Json RECORD = new Json(64, true);

    /** For files that others wrote: as for records, but at most 500 levels deep. */
    public static final Json FILE = new Json(500, true);

    /** {@linkplain #reason Reason} for a text that begins with something else. */
    public static final String NO_OBJECT = "no JSON object";

    /** {@linkplain #reason Reason} for a text that goes on behind its object. */
    public static final String MORE = "more after the JSON object";

    /** {@linkplain #reason Reason} for a number that would become infinite; it ends at the exception's location. */
    public static final String TOO_LARGE = "the number is too large for a double";

    private static final Set<String> REASONS = Set.of(NO_OBJECT, MORE, TOO_LARGE);
    private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");
    private static final int SAFE_LENGTH = 308; // digits of a whole number that a double holds whatever they are
    private static final int MAX_NUMBER_LENGTH = 1_000; // digits
    private static final int CONTAINER_SIZE = 320; // bytes, about, together with what a caller makes of it
    private static final int FIELD_SIZE = 192;
    private static final int VALUE_SIZE = 32;
    private static final ObjectWriter SORTING = REPLY.mapper.writer().with(JsonNodeFeature.WRITE_PROPERTIES_SORTED);

    private final JsonMapper mapper;

    private Json(int maxDepth, boolean uniqueNames) {
        mapper = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(maxDepth)
                                .maxNumberLength(MAX_NUMBER_LENGTH)
                                .maxStringLength(Integer.MAX_VALUE)
                                .maxNameLength(Integer.MAX_VALUE)
                                .build())
                        .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, uniqueNames)
                        .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                        .build())
                .addModule(new SimpleModule().addSerializer(Content.class, ToStringSerializer.instance))
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS) // checked here, in words that users read
                .build();
    }

    /**
     * Reads an object.
     *
     * @throws JacksonException if the text is anything else; see {@link #reason}
     */
    public ObjectNode object(String text) {
        return object(mapper.createParser(text), size -> {});
    }

    /** Reads an object from a part of bytes in UTF-8, as {@link #object(String)}. */
    public ObjectNode object(byte[] bytes, int from, int length) {
        return object(bytes, from, length, size -> {});
    }

    /** Reads an object from a part of bytes in UTF-8, as {@link #object(String, IntConsumer)}. */
    public ObjectNode object(byte[] bytes, int from, int length, IntConsumer memory) {
        return object(mapper.createParser(bytes, from, length), memory);
    }

    /**
     * Reads an object, as {@link #object(String)}.
     *
     * @param memory receives about how many bytes the next part of the tree takes, before it is made; it may throw
     */
    public ObjectNode object(String text, IntConsumer memory) {
        return object(mapper.createParser(text), memory);
    }

    private ObjectNode object(JsonParser input, IntConsumer memory) {
        try (JsonParser json = new CheckedParser(input, memory)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new StreamReadException(json, NO_OBJECT);
            }
            ObjectNode object = (ObjectNode) mapper.readTree(json);
            if (json.nextToken() != null) {
                throw new StreamReadException(json, MORE);
            }
            return object;
        }
    }

    /**
     * Writes maps, lists, records, texts ({@link Content} too), numbers, times and trees as text. Numbers that JSON does not have
     * become texts.
     */
    public static String text(@Nullable Object tree) {
        return REPLY.mapper.writeValueAsString(tree);
    }

    /** Writes as {@link #text}, in UTF-8; half a surrogate pair becomes U+FFFD. */
    public static byte[] bytes(@Nullable Object tree) {
        return utf8(text(tree));
    }

    /** Writes a tree as {@link #bytes}, with the fields of each object sorted: it is the same however it was written. */
    public static byte[] sorted(JsonNode tree) {
        return utf8(SORTING.writeValueAsString(tree));
    }

    private static byte[] utf8(String text) {
        return Content.wellFormed(text).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the tree of maps, lists, texts and numbers. */
    public static JsonNode tree(Object values) {
        return REPLY.mapper.valueToTree(values);
    }

    /** Returns a tree as maps, lists, texts, numbers, booleans and {@code null}. */
    public static @Nullable Object values(JsonNode tree) {
        return REPLY.mapper.treeToValue(tree, Object.class);
    }

    /** Returns the number that a value is, or that its text names because JSON has none such; {@code null} for any other value. */
    public static @Nullable Double number(JsonNode value) {
        boolean named = value.isString() && NOT_FINITE.contains(value.stringValue());
        return named || value.isNumber() ? Double.valueOf(value.asString()) : null;
    }

    /** Returns the elements of an array; none of any other value. */
    public static Collection<JsonNode> elements(JsonNode value) {
        return value.isArray() ? value.values() : List.of();
    }

    /**
     * Returns the first line of the reason why a text is no JSON object, without an excerpt of the text; with the place where
     * that is known, as in {@code … (line 3, column 17)}, but for the constants, which are what they are.
     */
    public static String reason(JacksonException e) {
        String reason =
                String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        TokenStreamLocation place = e.getLocation();
        return place == null || REASONS.contains(reason)
                ? reason
                : reason + (place.getLineNr() > 1 ? " (line " + place.getLineNr() + ", column " : " (column ")
                        + place.getColumnNr() + ")";
    }

    /** Refuses numbers that a double would clip, and asks for the memory of each part. */
    private static final class CheckedParser extends JsonParserDelegate {
        private final IntConsumer memory;

        CheckedParser(JsonParser json, IntConsumer memory) {
            super(json);
            this.memory = memory;
        }

        @Override
        public @Nullable JsonToken nextToken() {
            JsonToken token = super.nextToken();
            if (token != null) {
                check(token);
            }
            return token;
        }

        @Override
        public @Nullable String nextName() {
            return nextToken() == JsonToken.PROPERTY_NAME ? currentName() : null;
        }

        private void check(JsonToken token) {
            switch (token) {
                case START_OBJECT, START_ARRAY -> memory.accept(CONTAINER_SIZE);
                case PROPERTY_NAME -> memory.accept(FIELD_SIZE);
                case END_OBJECT, END_ARRAY -> {}
                default -> memory.accept(VALUE_SIZE);
            }
            boolean tooLarge = switch (token) {
                case VALUE_NUMBER_FLOAT -> !isNaN() && Double.isInfinite(getDoubleValue());
                case VALUE_NUMBER_INT ->
                    getStringLength() > SAFE_LENGTH
                            && Double.isInfinite(getNumberValue().doubleValue());
                default -> false;
            };
            if (tooLarge) {
                throw new StreamReadException(this, TOO_LARGE);
            }
        }
    }
}
