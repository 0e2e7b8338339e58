package dev.rlm.cli.launcher;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Text of what users of a type can see of it: one line for itself and one for each member, in a fixed order. */
final class PublicApi {
    private static final Set<String> OF_RECORDS = Set.of("equals", "hashCode", "toString");
    private static final Set<String> OF_ENUMS = Set.of("valueOf", "values");

    private PublicApi() {}

    /** Whether users can see the type: it is public, and so is each type that it lies in. */
    static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApi::isVisible).orElse(true);
    }

    static Stream<String> lines(Class<?> type) {
        boolean extensible = !Modifier.isFinal(type.getModifiers());
        Stream<String> fields = members(type.getDeclaredFields(), extensible).map(Field::toGenericString);
        Stream<String> constructors =
                members(type.getDeclaredConstructors(), extensible).map(Constructor::toGenericString);
        Stream<String> methods = members(type.getDeclaredMethods(), extensible)
                .filter(method -> !method.isBridge() && !isGiven(type, method))
                .map(Method::toGenericString);
        Stream<String> all = Stream.of(fields, constructors, methods)
                .flatMap(lines -> lines.map(line -> "    " + member(type, line)).sorted());
        return Stream.concat(Stream.of(header(type)), all);
    }

    /** Whether every type of that kind has it. */
    private static boolean isGiven(Class<?> type, Method method) {
        return (type.isRecord() && OF_RECORDS.contains(method.getName()))
                || (type.isEnum() && OF_ENUMS.contains(method.getName()));
    }

    /** Leaves out the name of the type, and what is nobody's business but its own. */
    private static String member(Class<?> type, String line) {
        return line.replace(" synchronized ", " ").replace(type.getTypeName() + ".", "");
    }

    private static <M extends Member> Stream<M> members(M[] members, boolean extensible) {
        return Arrays.stream(members)
                .filter(member -> !member.isSynthetic())
                .filter(member -> Modifier.isPublic(member.getModifiers())
                        || (extensible && Modifier.isProtected(member.getModifiers())));
    }

    private static String header(Class<?> type) {
        Type parent = type.getGenericSuperclass();
        String extended = parent == null || parent == Object.class ? "" : " extends " + parent.getTypeName();
        return type.toGenericString()
                + extended
                + named(type.isInterface() ? " extends " : " implements ", List.of(type.getGenericInterfaces()))
                + named(" permits ", type.isSealed() ? List.of(type.getPermittedSubclasses()) : List.of());
    }

    private static String named(String word, List<? extends Type> types) {
        return types.isEmpty()
                ? ""
                : word + types.stream().map(Type::getTypeName).collect(Collectors.joining(", "));
    }
}
