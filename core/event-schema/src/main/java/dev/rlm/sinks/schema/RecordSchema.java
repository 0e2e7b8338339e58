package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Recorded;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A class of records that are recorded: its components as fields, and how one is made of their values. */
public final class RecordSchema {
    private static final ClassValue<RecordSchema> ALL = new ClassValue<>() {
        @Override
        protected RecordSchema computeValue(Class<?> type) {
            return new RecordSchema(type);
        }
    };

    private final Class<?> type;
    private final List<EventField> components;
    private final List<EventField> fields;
    private final Constructor<?> constructor;

    private RecordSchema(Class<?> type) {
        RecordComponent[] all = type.getRecordComponents();
        this.type = type;
        components = Stream.of(all)
                .map(component -> EventField.of(component, component.getAccessor()))
                .toList();
        fields = Stream.concat(derived(type, all), components.stream().flatMap(RecordSchema::flat))
                .toList();
        Class<?>[] types = Stream.of(all).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            constructor = type.getConstructor(types);
            constructor.setAccessible(true); // it is public: only so no call checks that again
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException(type + " cannot be made: it is not public", e);
        }
    }

    /** Methods in no order of their own. */
    private static Stream<EventField> derived(Class<?> type, RecordComponent[] components) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Recorded.class))
                .filter(method -> Stream.of(components)
                        .noneMatch(each -> each.getAccessor().equals(method)))
                .sorted(Comparator.comparing(Method::getName))
                .map(method -> EventField.of(method, method));
    }

    private static Stream<EventField> flat(EventField component) {
        if (component.kind() == FieldKind.FILE) {
            return Stream.empty();
        }
        return component.isInline()
                ? component.object().fields().stream().map(field -> field.within(component))
                : Stream.of(component);
    }

    /** The schema of a public class of records. */
    public static RecordSchema of(Class<? extends Record> type) {
        return ALL.get(type);
    }

    /** The class. */
    @SuppressWarnings("unchecked") // as it was given
    public Class<? extends Record> type() {
        return (Class<? extends Record>) type;
    }

    /** One for each component, in their order. */
    public List<EventField> components() {
        return components;
    }

    /** The fields in their order: those that methods declare first, those of inline components in their places, and none of files. */
    public List<EventField> fields() {
        return fields;
    }

    /**
     * A record.
     *
     * @param values of the components, in their order
     * @throws RuntimeException if the record refuses them
     */
    public Record make(@Nullable Object[] values) {
        try {
            return (Record) constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException refusal
                    ? refusal
                    : new IllegalArgumentException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public String toString() {
        return type.getSimpleName() + fields;
    }
}
