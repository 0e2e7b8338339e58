package dev.rlm.sinks.event;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads one component of records.
 *
 * @param typed takes a record as an {@link Object} and returns the component: a {@code long}, {@code double} or
 *     {@code boolean}, or an object
 * @param boxed takes it likewise, and returns an object in any case
 */
record Accessor(MethodHandle typed, MethodHandle boxed) {
    private static final MethodHandle IS_NULL;

    static {
        try {
            IS_NULL = MethodHandles.publicLookup()
                    .findStatic(Objects.class, "isNull", MethodType.methodType(boolean.class, Object.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Accessor of(Method method) {
        try {
            MethodHandle exact = MethodHandles.publicLookup().unreflect(method);
            Class<?> type = exact.type().returnType() == int.class
                    ? long.class
                    : exact.type().returnType();
            return new Accessor(
                    exact.asType(MethodType.methodType(type, Object.class)),
                    exact.asType(MethodType.methodType(Object.class, Object.class)));
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(method + " cannot be called: its record is not public", e);
        }
    }

    /** Reads the component of a record that is itself a component; nothing, or zero, where that is {@code null}. */
    Accessor within(Accessor outer) {
        return new Accessor(within(outer, typed), within(outer, boxed));
    }

    private static MethodHandle within(Accessor outer, MethodHandle inner) {
        MethodHandle nothing =
                MethodHandles.dropArguments(MethodHandles.zero(inner.type().returnType()), 0, Object.class);
        return MethodHandles.filterArguments(MethodHandles.guardWithTest(IS_NULL, nothing, inner), 0, outer.boxed());
    }

    @Nullable
    Object get(Object record) {
        try {
            return boxed.invokeExact(record);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // accessors throw nothing of their own
        }
    }
}
