package dev.rlm.benchmarks.cli;

import com.fasterxml.jackson.core.json.PackageVersion;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.util.Map;
import java.util.TreeMap;
import org.apache.logging.log4j.core.LoggerContext;

/** The libraries that the sinks are held against. */
final class Peers {
    private Peers() {}

    /** Their versions by name, as their archives tell them. */
    static Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        put(versions, "OpenTelemetry SDK", OpenTelemetrySdk.class);
        put(versions, "Logback", ch.qos.logback.classic.Logger.class);
        put(versions, "Log4j", LoggerContext.class);
        versions.put("Jackson", PackageVersion.VERSION.toString());
        return versions;
    }

    private static void put(Map<String, String> versions, String name, Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        versions.put(name, version == null ? "unknown" : version);
    }
}
