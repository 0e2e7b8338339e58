package dev.rlm.sinks.event;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes values as JSON knows them from any: strings, booleans, {@code null}, numbers, and unmodifiable lists and maps of
 * them. A copy of a copy is equal to it.
 *
 * <p>Whole numbers become {@link Integer} or {@link Long}, whichever is enough, all others {@link Double}; those beyond
 * their ranges become text, since readers of JSON differ on them, as does everything else: what {@code toString} says of
 * it, or {@link Content#FAILED} where that throws. Records become maps of their components, where these may be read. Text
 * is {@linkplain Content#limited limited}. Where names become equal the last one counts.
 *
 * <p>Cyclic and huge values end as well: {@value #TOO_DEEP} stands where maps and lists lie more than {@value #MAX_DEPTH}
 * deep in each other, {@value #TOO_MUCH} where the rest was left out because the whole has more than 1,048,576
 * characters; each value and name counts for 16 of them and its own.
 */
public final class JsonValues {
    /** Largest depth of maps and lists in each other. */
    public static final int MAX_DEPTH = 63;

    /** Stands for a map or list that lies too deep. */
    public static final String TOO_DEEP = "[too deep]";

    /** Stands for the rest of a map or list for which there was no room. */
    public static final String TOO_MUCH = "[too much]";

    private static final String TOO_LONG = "[too long]";
    private static final int ROOM = 1 << 20;
    private static final int VALUE = 16;
    private static final int MAX_BITS = 1 << 18; // more take long to be made text

    private final UnaryOperator<String> text;
    private final BiFunction<String, @Nullable Object, @Nullable Object> entry;
    private int room = ROOM;

    private JsonValues(UnaryOperator<String> text, BiFunction<String, @Nullable Object, @Nullable Object> entry) {
        this.text = text;
        this.entry = entry;
    }

    /** A copy of the map, its order kept. */
    public static Map<String, Object> copy(@Nullable Map<String, ?> map) {
        return copy(map, Content::limited);
    }

    /** A copy whose texts and names are passed through the function. */
    public static Map<String, Object> copy(@Nullable Map<String, ?> map, UnaryOperator<String> text) {
        return copy(map, text, (name, value) -> value);
    }

    /**
     * A copy whose texts and names are passed through the function, such as a redaction.
     *
     * @param entry gives what stands for a value under that name, which is plain already, in this map and in those in it
     */
    @SuppressWarnings("NullAway") // what is null in it stays so, as in a map that is read from JSON
    public static Map<String, Object> copy(
            @Nullable Map<String, ?> map,
            UnaryOperator<String> text,
            BiFunction<String, @Nullable Object, @Nullable Object> entry) {
        return map == null || map.isEmpty() ? Map.of() : new JsonValues(text, entry).map(map, MAX_DEPTH);
    }

    /** A copy of one value of such a map. */
    public static @Nullable Object value(@Nullable Object value, UnaryOperator<String> text) {
        return value(value, text, (name, inner) -> inner);
    }

    /** A copy of one value of such a map, by the same functions. */
    public static @Nullable Object value(
            @Nullable Object value,
            UnaryOperator<String> text,
            BiFunction<String, @Nullable Object, @Nullable Object> entry) {
        return new JsonValues(text, entry).value(value, MAX_DEPTH - 1);
    }

    @SuppressWarnings("CatchThrowable") // a value's own methods may do anything
    private @Nullable Object value(@Nullable Object value, int depth) {
        Object plain;
        try {
            plain = value instanceof Optional<?> optional ? optional.orElse(null) : value;
            plain = plain instanceof Record record && isReadable(record) ? components(record) : plain;
            plain = isNested(plain) ? nested(plain, depth) : leaf(plain);
        } catch (Throwable e) {
            plain = Content.FAILED;
        }
        room -= VALUE + (plain instanceof String string ? string.length() : 0);
        return plain;
    }

    private static boolean isNested(@Nullable Object value) {
        return value instanceof Map<?, ?>
                || value instanceof Collection<?>
                || (value != null && value.getClass().isArray());
    }

    private static boolean isReadable(Record record) {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            if (!component.getAccessor().trySetAccessible()) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, @Nullable Object> components(Record record) {
        Map<String, @Nullable Object> components = new LinkedHashMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            components.put(component.getName(), read(component.getAccessor(), record));
        }
        return components;
    }

    private static @Nullable Object read(Method accessor, Record record) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            return Content.FAILED;
        }
    }

    private @Nullable Object nested(@Nullable Object value, int depth) {
        if (depth == 0) {
            return TOO_DEEP;
        } else if (value instanceof Map<?, ?> map) {
            return map(map, depth);
        }
        return list(value instanceof Collection<?> list ? list : elements(value), depth);
    }

    private Map<String, @Nullable Object> map(Map<?, ?> map, int depth) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (room <= 0) {
                copy.put(TOO_MUCH, TOO_MUCH);
                break;
            }
            String name = text(entry.getKey());
            room -= name.length();
            copy.put(name, this.entry.apply(name, value(entry.getValue(), depth - 1)));
        }
        return Collections.unmodifiableMap(copy);
    }

    private List<@Nullable Object> list(Iterable<?> list, int depth) {
        List<@Nullable Object> copy = new ArrayList<>();
        for (Object element : list) {
            if (room <= 0) {
                copy.add(TOO_MUCH);
                break;
            }
            copy.add(value(element, depth - 1));
        }
        return Collections.unmodifiableList(copy);
    }

    private static Iterable<@Nullable Object> elements(@Nullable Object array) {
        return () -> IntStream.range(0, Array.getLength(array))
                .<@Nullable Object>mapToObj(i -> Array.get(array, i))
                .iterator();
    }

    private @Nullable Object leaf(@Nullable Object value) {
        if (value == null || value instanceof Boolean) {
            return value;
        }
        return value instanceof Number number ? number(number) : text(value);
    }

    @SuppressWarnings("CatchThrowable") // a name's own methods may do anything
    private String text(@Nullable Object value) {
        try {
            return text.apply(String.valueOf((Object) String.valueOf(value))); // the inner one may give null
        } catch (Throwable e) {
            return Content.FAILED;
        }
    }

    private Object number(Number number) {
        if (number instanceof Integer || number instanceof Double) {
            return number;
        } else if (number instanceof BigInteger big) {
            return whole(big);
        } else if (number instanceof BigDecimal big) {
            return decimal(big);
        } else if (number instanceof Float) {
            return Double.valueOf(number.toString()); // 0.1f is 0.1
        }
        return isWhole(number) ? smallest(number.longValue()) : (Object) number.doubleValue();
    }

    private static boolean isWhole(Number number) {
        return number instanceof Long
                || number instanceof Short
                || number instanceof Byte
                || number instanceof AtomicLong
                || number instanceof AtomicInteger;
    }

    private static Object smallest(long number) {
        return number == (int) number ? (Object) (int) number : (Object) number;
    }

    private Object whole(BigInteger number) {
        if (number.bitLength() < Long.SIZE) {
            return smallest(number.longValue());
        }
        return isShort(number) ? text(number) : TOO_LONG;
    }

    private Object decimal(BigDecimal number) {
        if (!isShort(number.unscaledValue())) {
            return TOO_LONG;
        }
        double value = number.doubleValue();
        boolean isHeld = Double.isFinite(value) && (value != 0 || number.signum() == 0);
        return isHeld ? (Object) value : text(number);
    }

    private static boolean isShort(BigInteger number) {
        return number.bitLength() <= MAX_BITS;
    }
}
