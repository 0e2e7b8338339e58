package dev.rlm.engine.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Folders of this build that a cluster needs: those of the program, of the engine and of Spark. */
final class SparkFolders {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Path PROGRAM = ROOT.resolve("tools/cli/target/rlm.jar");
    private static final Path ENGINE = ROOT.resolve("engines/engine-spark/target");
    static final Path SPARK = ROOT.resolve("engines/engine-spark/spark-home/target");
    private static final Pattern OPENED = Pattern.compile("<spark.jvm>(.*)</spark.jvm>");

    /** For processes that are gone before optimised code pays. */
    static final List<String> SHORT = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final String MISSING =
            "no engine on Spark, which mvn -Pspark verify builds after a download of 280 MB";

    private SparkFolders() {}

    static void assumeBuilt() {
        boolean built = Files.exists(PROGRAM) && engine() != null && Files.isDirectory(SPARK.resolve("jars"));
        if (!built) {
            // The report alone tells nobody who watches the build that it was not tried.
            System.err.println("Skipped: " + MISSING);
        }
        assumeTrue(built, MISSING);
    }

    private static @Nullable Path engine() {
        if (!Files.isDirectory(ENGINE)) {
            return null;
        }
        try (Stream<Path> files = Files.list(ENGINE)) {
            return files.filter(file -> file.getFileName().toString().matches("engine-spark-[^-]*(-SNAPSHOT)?\\.jar"))
                    .max(Comparator.comparingLong(
                            file -> file.toFile().lastModified())) // another may be of an earlier version
                    .orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Returns the beginning of a command that runs a class of Spark's. */
    static List<String> spark(String mainClass) {
        return Stream.of(List.of(java(), "-Xmx256m"), SHORT, List.of("-cp", SPARK + "/jars/*", mainClass))
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the beginning of a command that runs the program with Spark. */
    static List<String> program() {
        String classPath = String.join(
                File.pathSeparator,
                PROGRAM.toString(),
                PROGRAM.resolveSibling("lib") + "/*",
                Objects.requireNonNull(engine()).toString(),
                SPARK + "/jars/*");
        return Stream.of(
                        Stream.concat(Stream.of(java(), "-Xmx512m"), SHORT.stream()),
                        opened(),
                        Stream.of(
                                "-Dslf4j.provider=ch.qos.logback.classic.spi.LogbackServiceProvider",
                                "-Dslf4j.internal.verbosity=WARN",
                                "-cp",
                                classPath,
                                "dev.rlm.cli.launcher.Main"))
                .flatMap(part -> part)
                .toList();
    }

    /** Returns what Spark needs of the JDK's internals. */
    private static Stream<String> opened() {
        try {
            return OPENED.matcher(Files.readString(ENGINE.resolveSibling("pom.xml")))
                    .results()
                    .flatMap(found -> Stream.of(found.group(1).split(" ", -1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, String> environment() {
        return Map.of("SPARK_HOME", SPARK.toString(), "SPARK_SCALA_VERSION", "2.13", "SPARK_LOCAL_IP", "127.0.0.1");
    }
}
