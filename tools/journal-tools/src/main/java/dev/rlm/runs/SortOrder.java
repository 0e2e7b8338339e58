package dev.rlm.runs;

import dev.rlm.cli.UsageException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Orders of rows by keys that users name: {@code reward}, or {@code -reward} for the largest first. Rows without a value come
 * last both ways, and rows with the same value stay as they were.
 *
 * @param <T> the rows
 */
final class SortOrder<T> {
    private final Map<String, Key<T, ?>> keys = new LinkedHashMap<>();

    /** Adds a key. */
    <V extends Comparable<? super V>> SortOrder<T> by(String name, Function<T, @Nullable V> value) {
        keys.put(name, new Key<>(value, Comparator.naturalOrder()));
        return this;
    }

    /** Adds a key of names, by which numbers in them count by their size; an empty one is no value. */
    SortOrder<T> byName(String name, Function<T, @Nullable String> value) {
        keys.put(
                name,
                new Key<>(
                        row -> {
                            String text = value.apply(row);
                            return text == null || text.isEmpty() ? null : text;
                        },
                        NaturalOrder.INSTANCE));
        return this;
    }

    /** Returns the names of the keys. */
    List<String> names() {
        return List.copyOf(keys.keySet());
    }

    /**
     * Returns the rows in an order.
     *
     * @throws UsageException if there is no such key
     */
    List<T> sorted(List<T> rows, String order) {
        boolean descending = order.startsWith("-");
        Key<T, ?> key = keys.get(descending ? order.substring(1) : order);
        if (key == null) {
            throw new UsageException("--sort=" + order + " is not valid: expected " + String.join(", ", keys.keySet())
                    + ", or one of them after '-' for descending");
        }
        return rows.stream().sorted(key.order(descending)).toList();
    }

    private record Key<T, V>(Function<T, @Nullable V> value, Comparator<? super V> order) {
        Comparator<T> order(boolean descending) {
            Comparator<? super V> way = descending ? order.reversed() : order;
            return Comparator.comparing(value, Comparator.nullsLast(way));
        }
    }
}
