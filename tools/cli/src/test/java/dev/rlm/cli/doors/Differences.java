package dev.rlm.cli.doors;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEvent;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Components of events by their names, such as {@code RewardGiven.label}: all there are, those that are set, those that differ. */
final class Differences {
    private final Map<String, String> found = new TreeMap<>();

    private Differences() {}

    /** Returns what differs between events that were told and those that were read, by component, with an example each. */
    static Map<String, String> of(List<RunEvent> told, List<RunEvent> read) {
        Differences differences = new Differences();
        for (int i = 0; i < Math.max(told.size(), read.size()); i++) {
            if (i >= read.size()
                    || i >= told.size()
                    || told.get(i).getClass() != read.get(i).getClass()) {
                differences.found.put("events", told.get(0).run().runId() + ": " + types(told) + " and " + types(read));
                return differences.found;
            }
            differences.compare("event", told.get(i), read.get(i));
        }
        return differences.found;
    }

    /** Returns the components of a record that are not set, or that another one does not have under the same name. */
    static List<String> lost(Record told, Record read) {
        Map<String, Object> has = new TreeMap<>();
        for (RecordComponent component : read.getClass().getRecordComponents()) {
            has.put(component.getName(), String.valueOf(plain(value(component, read))));
        }
        return Arrays.stream(told.getClass().getRecordComponents())
                .filter(component -> value(component, told) == null
                        || !String.valueOf(value(component, told)).equals(has.get(component.getName())))
                .map(Differences::name)
                .toList();
    }

    private static List<String> types(List<RunEvent> events) {
        return events.stream().map(event -> event.type().label()).toList();
    }

    private void compare(String name, @Nullable Object told, @Nullable Object read) {
        if (told instanceof Record one && read instanceof Record other && one.getClass() == other.getClass()) {
            for (RecordComponent component : one.getClass().getRecordComponents()) {
                compare(name(component), value(component, one), value(component, other));
            }
        } else if (told instanceof List<?> one && read instanceof List<?> other && one.size() == other.size()) {
            for (int i = 0; i < one.size(); i++) {
                compare(name, one.get(i), other.get(i));
            }
        } else if (!Objects.equals(plain(told), plain(read))) {
            found.putIfAbsent(name, plain(told) + " and " + plain(read));
        }
    }

    /** Returns what is not set in any of these. */
    static Set<String> unset(Collection<RunEvent> events) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(RunEvent.class.getPermittedSubclasses()).forEach(type -> addNames(type, names));
        events.forEach(event -> removeSet("event", event, names));
        return names;
    }

    private static void addNames(Type type, Set<String> names) {
        if (type instanceof ParameterizedType list) {
            Arrays.stream(list.getActualTypeArguments()).forEach(argument -> addNames(argument, names));
        } else if (type instanceof Class<?> declared && declared.isRecord()) {
            for (RecordComponent component : declared.getRecordComponents()) {
                if (names.add(name(component))) {
                    addNames(component.getGenericType(), names);
                }
            }
        }
    }

    private static void removeSet(String name, @Nullable Object value, Set<String> unset) {
        if (value instanceof Record one) {
            for (RecordComponent component : one.getClass().getRecordComponents()) {
                removeSet(name(component), value(component, one), unset);
            }
            unset.remove(name);
        } else if (value instanceof List<?> list && !list.isEmpty()) {
            list.forEach(each -> removeSet(name, each, unset));
        } else if (value != null
                && !Set.<Object>of(0, 0L, 0.0, false, "", Map.of(), List.of()).contains(plain(value))) {
            unset.remove(name);
        }
    }

    private static String name(RecordComponent component) {
        return component.getDeclaringRecord().getSimpleName() + "." + component.getName();
    }

    private static @Nullable Object value(RecordComponent component, Record of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(component.toString(), e);
        }
    }

    private static @Nullable Object plain(@Nullable Object value) {
        return value instanceof Content content ? content.text() : value;
    }
}
