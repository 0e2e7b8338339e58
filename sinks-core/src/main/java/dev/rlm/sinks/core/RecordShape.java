package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Content;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Components of a class of records, and those of them that may hold text. Found out once a class. */
final class RecordShape {
    private static final ClassValue<RecordShape> SHAPES = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };

    private final Method[] accessors;
    private final int[] textual;
    private final Constructor<?> constructor;

    private RecordShape(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        accessors = Stream.of(components).map(RecordComponent::getAccessor).toArray(Method[]::new);
        textual = IntStream.range(0, components.length)
                .filter(i -> mayHoldText(components[i].getType()))
                .toArray();
        try {
            constructor = type.getDeclaredConstructor(
                    Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every record has it", e);
        }
    }

    private static boolean mayHoldText(Class<?> type) {
        return !type.isPrimitive() && type != Content.class && !Number.class.isAssignableFrom(type);
    }

    static RecordShape of(Record record) {
        return SHAPES.get(record.getClass());
    }

    /** The indices of the components that may hold text. */
    int[] textual() {
        return textual;
    }

    @Nullable
    Object get(Record record, int index) {
        try {
            return accessors[index].invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All components. */
    @Nullable
    Object[] all(Record record) {
        @Nullable Object[] values = new Object[accessors.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = get(record, i);
        }
        return values;
    }

    /**
     * A record of these components.
     *
     * @throws IllegalArgumentException if the record refuses them
     */
    Object make(@Nullable Object[] values) {
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("it is no such record without its secrets", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
