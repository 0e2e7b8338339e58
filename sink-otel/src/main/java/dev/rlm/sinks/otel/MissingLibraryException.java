package dev.rlm.sinks.otel;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A library that the sink needs is not on the class path; the message has its Maven coordinates. */
final class MissingLibraryException extends IllegalStateException {
    private static final long serialVersionUID = 1;
    private static final String GROUP = "io.opentelemetry:";
    private static final Pattern OF_SDK = Pattern.compile("(opentelemetry-[a-z-]+) not found on classpath");

    /** Beginnings of the names of classes, the longer ones first, each with the library that has them. */
    private static final List<List<String>> LIBRARIES = List.of(
            List.of("io.opentelemetry.sdk.autoconfigure.", GROUP + "opentelemetry-sdk-extension-autoconfigure"),
            List.of("io.opentelemetry.sdk.", GROUP + "opentelemetry-sdk"),
            List.of("io.opentelemetry.exporter.otlp.", GROUP + "opentelemetry-exporter-otlp"),
            List.of("io.opentelemetry.exporter.", GROUP + "opentelemetry-exporter-common"),
            List.of("io.opentelemetry.", GROUP + "opentelemetry-api"),
            List.of("okhttp3.", "com.squareup.okhttp3:okhttp-jvm"),
            List.of("okio.", "com.squareup.okio:okio-jvm"));

    private MissingLibraryException(String what, String coordinates, Throwable cause) {
        super(
                "a library is missing: " + what
                        + (coordinates.isEmpty()
                                ? ""
                                : ": add " + coordinates + ", which dev.rlm:sink-otel depends on"),
                cause);
    }

    /** Returns it for a class that cannot be found. */
    static MissingLibraryException of(NoClassDefFoundError error) {
        Throwable cause = error.getCause() instanceof ClassNotFoundException ? error.getCause() : error;
        String name = String.valueOf(cause.getMessage()).replace('/', '.');
        String coordinates = LIBRARIES.stream()
                .filter(library -> name.startsWith(library.get(0)))
                .map(library -> library.get(1))
                .findFirst()
                .orElse("");
        return new MissingLibraryException("class not found: " + name, coordinates, error);
    }

    /** Returns whether OpenTelemetry's SDK says so of a library of its own. */
    static boolean isSaid(String reason) {
        return reason.contains("not found on classpath");
    }

    /** Returns it for what the SDK says. */
    static MissingLibraryException of(String reason, Exception cause) {
        Matcher named = OF_SDK.matcher(reason);
        return new MissingLibraryException(reason, named.find() ? GROUP + named.group(1) : "", cause);
    }
}
