package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Stands for a tool, or for several that are methods of one interface, and records the calls of its methods that count. */
final class ToolProxy extends RecordingProxy {
    private final Map<Method, String> names = new HashMap<>(); // of what counts; only read once it stands in
    private final boolean isOneTool;
    private final ToolShape<?, ?> shape;

    private ToolProxy(Class<?> type, Object target, boolean isOneTool, ToolShape<?, ?> shape) {
        super(type, target);
        this.isOneTool = isOneTool;
        this.shape = Objects.requireNonNull(shape, "shape");
    }

    /** One whose methods are tools, each of its own name; to close it is no call. */
    static ToolProxy each(Class<?> type, Object target) {
        ToolProxy proxy = new ToolProxy(type, target, false, ToolShape.PLAIN);
        for (Method method : type.getMethods()) {
            if (!isClose(method)) {
                proxy.names.put(method, method.getName());
            }
        }
        return proxy;
    }

    private static boolean isClose(Method method) {
        return AutoCloseable.class.isAssignableFrom(method.getDeclaringClass())
                && method.getName().equals("close")
                && method.getParameterCount() == 0;
    }

    /**
     * One that is a single tool of that name. Its only abstract method counts, or, of several, those with parameters: the
     * others tell what it is.
     */
    static ToolProxy one(String name, Class<?> type, Object target, ToolShape<?, ?> shape) {
        ToolProxy proxy = new ToolProxy(type, target, true, shape);
        List<Method> methods = Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .toList();
        boolean isFunctional = methods.stream().filter(ToolProxy::isToBeWritten).count() == 1;
        for (Method method : methods) {
            if (proxy.inherits(method)) {
                proxy.runHere(method);
            } else if (method.getParameterCount() > 0 || (isFunctional && isToBeWritten(method))) {
                proxy.names.put(method, name);
            }
        }
        return proxy;
    }

    /** Returns whether a class that implements the interface has to write the method. */
    private static boolean isToBeWritten(Method method) {
        return Modifier.isAbstract(method.getModifiers()) && !isOfObject(method);
    }

    private static boolean isOfObject(Method method) {
        return Arrays.stream(Object.class.getMethods())
                .anyMatch(own -> own.getName().equals(method.getName())
                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
    }

    @Override
    @Nullable
    Object recorded(Activity here, Method method, Object[] arguments) throws Throwable {
        String name = names.get(method);
        if (name == null) {
            return call(method, arguments);
        }
        ToolRecording recording = ToolRecording.start(
                here, name, shape, arguments.length == 0 ? null : arguments[0], arguments(method, arguments));
        Object result = call(method, arguments, recording);
        if (method.getReturnType() == void.class) {
            recording.returned();
            return null;
        }
        return TracedFuture.observe(result, TracedFuture.declaredBy(method), recording);
    }

    /** The only argument of a single tool, else all by name. */
    private @Nullable Object arguments(Method method, Object[] values) {
        if (isOneTool && values.length == 1) {
            return values[0];
        }
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < values.length; i++) {
            named.put(parameters[i].getName(), values[i]);
        }
        return named;
    }
}
