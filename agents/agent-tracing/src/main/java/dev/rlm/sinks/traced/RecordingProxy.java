package dev.rlm.sinks.traced;

import dev.rlm.sinks.Activity;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Proxy of an object behind one of its interfaces. Calls are the object's, and what it throws is thrown on as it is;
 * those that count are recorded where something is current.
 *
 * <p>Methods of {@link Object} are the object's too, and it is equal to another proxy whose object is.
 */
abstract class RecordingProxy implements InvocationHandler {
    private static final Object[] NONE = {};

    private final Object target;
    private final Map<Method, Body> inherited = new HashMap<>(); // only read once it is in use

    RecordingProxy(Class<?> type, Object target) {
        this.target = Objects.requireNonNull(target, "target");
        if (!type.isInterface()) {
            throw new IllegalArgumentException(type.getName() + " is not an interface: only these can be stood in for");
        }
        for (Method method : type.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers()) && !method.trySetAccessible()) {
                throw new IllegalArgumentException(
                        type.getName() + " is out of reach: its module has to open its package");
            }
        }
    }

    /** Makes it one of the interface. */
    final <T> T as(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
    }

    /** Returns whether the target has no body of its own for the method, so that it has that of the interface. */
    final boolean inherits(Method method) {
        try {
            return method.isDefault()
                    && target.getClass()
                            .getMethod(method.getName(), method.getParameterTypes())
                            .isDefault();
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** Has the interface's own body of the method run here, so that what it calls is recorded, where it may be reached. */
    final void runHere(Method method) {
        Class<?> declaring = method.getDeclaringClass();
        if (Modifier.isPublic(declaring.getModifiers())) {
            inherited.put(method, (proxy, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments));
            return;
        }
        try {
            MethodHandle body = MethodHandles.privateLookupIn(declaring, MethodHandles.lookup())
                    .unreflectSpecial(method, declaring);
            inherited.put(method, (proxy, arguments) -> body.bindTo(proxy).invokeWithArguments(arguments));
        } catch (IllegalAccessException e) {
            // then the target runs it
        }
    }

    @Override
    public final @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(method, arguments);
        }
        Body body = inherited.get(method);
        if (body != null) {
            return body.run(proxy, arguments);
        }
        Activity here = activity();
        return here.isRecording() ? recorded(here, method, arguments) : call(method, arguments);
    }

    /** The activity that its calls lie in. */
    Activity activity() {
        return Activity.current();
    }

    /** Calls the method where something is current: recorded, if it counts. */
    abstract @Nullable Object recorded(Activity here, Method method, Object[] arguments) throws Throwable;

    /** Calls the target's method. */
    final @Nullable Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return invoke(method, arguments);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNullElse(e.getCause(), e);
        }
    }

    /** Calls the target's method, and tells where it fails. */
    @SuppressWarnings("CatchThrowable") // and thrown on
    final @Nullable Object call(Method method, Object[] arguments, CallRecording<?> recording) throws Throwable {
        try {
            return call(method, arguments);
        } catch (Throwable e) {
            recording.failed(e);
            throw e;
        }
    }

    private @Nullable Object invoke(Method method, Object[] arguments)
            throws InvocationTargetException, IllegalAccessException {
        if (!method.canAccess(target)) {
            method.setAccessible(true); // which it was found to allow
        }
        return method.invoke(target, arguments);
    }

    private @Nullable Object ofObject(Method method, Object[] arguments) throws Throwable {
        if (arguments.length == 1 && arguments[0] != null && Proxy.isProxyClass(arguments[0].getClass())) {
            InvocationHandler other = Proxy.getInvocationHandler(arguments[0]);
            return target.equals(other instanceof RecordingProxy proxy ? proxy.target : arguments[0]);
        }
        return call(method, arguments);
    }

    /** Body that an interface gives a method. */
    @FunctionalInterface
    private interface Body {
        @Nullable
        Object run(Object proxy, Object[] arguments) throws Throwable;
    }
}
