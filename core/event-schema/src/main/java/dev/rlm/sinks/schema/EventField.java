package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.Recorded;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A field of an event, or of a record within one, as its component declares it (see {@link Recorded}). Safe for use by several threads. */
public final class EventField {
    private static final Map<Class<?>, FieldKind> KINDS = Map.ofEntries(
            Map.entry(String.class, FieldKind.LABEL),
            Map.entry(Content.class, FieldKind.TEXT),
            Map.entry(long.class, FieldKind.WHOLE),
            Map.entry(Long.class, FieldKind.WHOLE),
            Map.entry(int.class, FieldKind.COUNT),
            Map.entry(Integer.class, FieldKind.COUNT),
            Map.entry(double.class, FieldKind.NUMBER),
            Map.entry(Double.class, FieldKind.NUMBER),
            Map.entry(boolean.class, FieldKind.FLAG),
            Map.entry(Boolean.class, FieldKind.FLAG),
            Map.entry(Instant.class, FieldKind.TIME));
    private static final Map<Class<?>, FieldKind> MAPS = Map.of(
            String.class, FieldKind.TEXTS,
            Double.class, FieldKind.NUMBERS,
            Long.class, FieldKind.COUNTS,
            Object.class, FieldKind.VALUES);

    private static final Recorded BY_TYPE = Bare.class.getRecordComponents()[0].getAnnotation(Recorded.class);

    private final String name;
    private final FieldKind kind;
    private final Class<?> type;
    private final Class<?> element;
    private final boolean nullable;
    private final Recorded declared;
    private final @Nullable Number absent;
    private final boolean inline;
    private final boolean mandatory; // kept, as is the one above: readers ask for both with every field of every line
    private final Method method;
    private final @Nullable EventField outer; // that holds the record which has it

    private EventField(
            String name,
            FieldKind kind,
            Class<?> type,
            Class<?> element,
            boolean nullable,
            Recorded declared,
            Method method,
            @Nullable EventField outer) {
        this.name = name;
        this.kind = kind;
        this.type = type;
        this.element = element;
        this.nullable = nullable;
        this.declared = declared;
        this.absent = (Number) parsed(declared.absent());
        this.inline = declared.inline();
        this.mandatory = isAlways() && since() == 1;
        this.method = method;
        method.setAccessible(true); // it is public: only so no call checks that again
        this.outer = outer;
    }

    /**
     * The field that a component, or a method, declares.
     *
     * @param declaration what is annotated
     */
    static EventField of(AnnotatedElement declaration, Method method) {
        Recorded declared =
                Optional.ofNullable(declaration.getAnnotation(Recorded.class)).orElse(BY_TYPE);
        Class<?> type = method.getReturnType();
        Class<?> element = element(method.getGenericReturnType());
        return new EventField(
                declared.name().isEmpty() ? snakeCase(method.getName()) : declared.name(),
                declared.id() ? FieldKind.ID : kind(type, element),
                type,
                element,
                method.getAnnotatedReturnType().isAnnotationPresent(Nullable.class),
                declared,
                method,
                null);
    }

    /** The same field in a record that holds this one's. */
    EventField within(EventField holder) {
        EventField nearest = outer == null ? holder : outer.within(holder);
        return new EventField(name, kind, type, element, nullable || nearest.nullable, declared, method, nearest);
    }

    private static String snakeCase(String name) {
        StringBuilder snake = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isUpperCase(c)) {
                snake.append('_');
            }
            snake.append(Character.toLowerCase(c));
        }
        return snake.toString();
    }

    private static Class<?> element(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return element(arguments[arguments.length - 1]);
        }
        return (Class<?>) type;
    }

    private static FieldKind kind(Class<?> type, Class<?> element) {
        FieldKind kind;
        if (Map.class.isAssignableFrom(type)) {
            kind = element.isRecord() ? FieldKind.OBJECTS_BY_NAME : MAPS.get(element);
        } else if (type == List.class) {
            FieldKind each = element.isRecord() ? FieldKind.OBJECT : KINDS.get(element);
            kind = each == FieldKind.OBJECT
                    ? FieldKind.OBJECTS
                    : each == FieldKind.COUNT ? FieldKind.WHOLES : each == FieldKind.NUMBER ? FieldKind.DECIMALS : null;
        } else {
            kind = type.isRecord()
                    ? FieldKind.OBJECT
                    : type.isEnum() ? FieldKind.CHOICE : type == FileContent.class ? FieldKind.FILE : KINDS.get(type);
        }
        if (kind == null) {
            throw new IllegalArgumentException("no kind of field is a " + type + " of " + element);
        }
        return kind;
    }

    /** Name in the journal's lines. */
    public String name() {
        return name;
    }

    /** Kind of its values. */
    public FieldKind kind() {
        return kind;
    }

    /** Class of the component. */
    public Class<?> type() {
        return type;
    }

    /** The record that an object, or each object of a list or a map, is of. */
    @SuppressWarnings("unchecked") // only such are of these kinds
    public RecordSchema object() {
        return RecordSchema.of((Class<? extends Record>) element);
    }

    /** Words that a {@link FieldKind#CHOICE} has, in small letters. */
    public List<String> choices() {
        return Stream.of(Objects.requireNonNull(type.getEnumConstants(), name))
                .map(EventField::word)
                .toList();
    }

    /** The word for a constant of an enum. */
    public static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
    }

    /**
     * The enum's constant that a word stands for.
     *
     * @throws IllegalArgumentException if it stands for none
     */
    public Object constant(String word) {
        return Stream.of(Objects.requireNonNull(type.getEnumConstants(), name))
                .filter(each -> word(each).equals(word))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(word + " is no " + name));
    }

    /** Returns whether the fields of its record stand in its place. */
    public boolean isInline() {
        return inline;
    }

    /** Returns whether it may be {@code null}. */
    public boolean isNullable() {
        return nullable;
    }

    /** Returns whether every line has it, once its version is known. */
    public boolean isAlways() {
        boolean collection = !isRequired() && (Map.class.isAssignableFrom(type) || type == List.class);
        boolean empty = kind == FieldKind.OBJECT && object().fields().stream().noneMatch(EventField::isAlways);
        return !nullable && !collection && !empty && absent == null;
    }

    /** Returns whether a line without it is damaged. */
    public boolean isMandatory() {
        return mandatory;
    }

    /** Returns whether a client that records from outside must give it. */
    public boolean isRequired() {
        return declared.required();
    }

    /** Value for a client that records from outside and does not give it; {@code null} for none. */
    public @Nullable Object standard() {
        return parsed(declared.standard());
    }

    /** Version of the journal from which on it is there. */
    public int since() {
        return declared.since();
    }

    /** Smallest number allowed; {@link Long#MIN_VALUE} for any. */
    public long min() {
        return absent == null || absent.doubleValue() != declared.min() ? declared.min() : declared.min() + 1;
    }

    private @Nullable Object parsed(String text) {
        if (text.equals(Recorded.NONE)) {
            return null;
        }
        return switch (kind) {
            case WHOLE -> Long.valueOf(text);
            case COUNT -> Integer.valueOf(text);
            case NUMBER -> Double.valueOf(text);
            default -> text;
        };
    }

    /** Value that the constructor gets for a missing field: zero or {@code null}, unless the field is declared otherwise. */
    public @Nullable Object missing() {
        if (absent != null) {
            return absent;
        }
        return type.isPrimitive() ? zero() : null;
    }

    private Object zero() {
        return switch (kind) {
            case WHOLE -> 0L;
            case COUNT -> 0;
            case NUMBER -> 0.0;
            default -> false;
        };
    }

    /** Value in an event, or a record within one; {@code null} where there is none. */
    public @Nullable Object get(Record record) {
        Object held = outer == null ? record : outer.get(record);
        try {
            return held == null ? null : method.invoke(held);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e); // accessors throw nothing, and are public
        }
    }

    /** Number that means that there is none; {@code null} where every number means itself. */
    public @Nullable Number absent() {
        return absent;
    }

    @Override
    public String toString() {
        return name + ": " + kind;
    }

    /** Stands for every component without the annotation. */
    private record Bare(@Recorded String component) {}
}
