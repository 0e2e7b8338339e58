package dev.rlm.cli;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Things of one kind by name: the program's own, and those of plug-ins. One that cannot be loaded, or does not say its name,
 * is an error only if a name is not found: the message tells of it. Two of the same name are an error only if that name is
 * asked for. Safe for use by several threads.
 */
public final class Registry<T> {
    private static final int MAX_BROKEN = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+([-_][a-z0-9]+)*");

    private final String kind;
    private final Map<String, List<Entry<T>>> byName = new LinkedHashMap<>(); // guarded by this, as is the next
    private @Nullable String broken;

    /**
     * An empty one.
     *
     * @param kind what is in it, for messages
     */
    public Registry(String kind) {
        this.kind = kind;
    }

    /** Adds one of that name; the type is for messages. */
    public void add(String name, Class<?> type, T thing) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalStateException("the name '" + name + "' of " + type.getName()
                    + " is not valid: expected small letters, digits, - and _");
        }
        synchronized (this) {
            byName.computeIfAbsent(name, unknown -> new ArrayList<>()).add(new Entry<>(type, thing));
        }
    }

    /** Does it with each of those that a {@link java.util.ServiceLoader} finds; where that fails, keeps why. */
    @SuppressWarnings("CatchThrowable") // a plug-in may throw anything
    public <S> void forEach(Iterator<S> found, Consumer<? super S> action) {
        for (int failures = 0; failures < MAX_BROKEN; ) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                action.accept(found.next());
            } catch (Throwable e) {
                failures++;
                isBroken(
                        e instanceof ServiceConfigurationError && e.getCause() != null
                                ? e.getMessage() + ": " + e.getCause()
                                : e.toString());
            }
        }
    }

    /** Keeps why there may be too few; the first reason counts. */
    public synchronized void isBroken(String reason) {
        broken = broken == null ? reason : broken;
    }

    /** Returns why there may be too few; {@code null} where that is not so. */
    public synchronized @Nullable String broken() {
        return broken;
    }

    /** Returns whether there is one of that name, or several. */
    public synchronized boolean contains(String name) {
        return byName.containsKey(name);
    }

    /** Returns all whose names no others have, in the order in which they were added. */
    public synchronized List<T> all() {
        return byName.values().stream()
                .filter(same -> same.size() == 1)
                .map(same -> same.get(0).thing())
                .toList();
    }

    /**
     * Returns the one of that name.
     *
     * @throws UsageException if there is none, or there are several
     */
    public synchronized T get(String wanted) {
        List<Entry<T>> found = byName.getOrDefault(wanted, List.of());
        if (found.isEmpty()) {
            throw UsageException.unknown(kind, wanted, byName.keySet(), broken);
        }
        if (found.size() > 1) {
            throw new UsageException("two of kind " + kind + " are named '" + wanted + "': "
                    + found.stream().map(one -> one.type().getName()).collect(Collectors.joining(" and ")));
        }
        return found.get(0).thing();
    }

    private record Entry<T>(Class<?> type, T thing) {}
}
