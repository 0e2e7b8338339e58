package dev.rlm.engine.spark;

import dev.rlm.engine.EngineContext;
import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;

/** Settings of Spark for episodes, which wait for models more than they compute. */
final class SparkSettings {
    private SparkSettings() {}

    /** Returns those of a job: the user's own count before these, but for what acceptance stands on. */
    static SparkConf of(EngineContext context) {
        SparkConf conf = new SparkConf()
                .setMaster(context.master())
                .setAppName("rlm " + context.job().invocation());
        context.settings().forEach(conf::set);
        conf.setIfMissing("spark.ui.enabled", "false");
        conf.setIfMissing("spark.locality.wait", "0s");
        conf.setIfMissing("spark.executor.heartbeatInterval", "5s");
        conf.setIfMissing("spark.network.timeout", "60s"); // after which a frozen executor's episodes run again
        conf.setIfMissing("spark.network.timeoutInterval", "5s"); // between looks for frozen ones
        if (context.master().startsWith("local-cluster")) {
            // Its processes share this machine's cores, of which optimising compilers took more than the episodes.
            conf.setIfMissing("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1");
        }
        conf.set("spark.speculation", "false"); // a second attempt beside a living one would be taken for a lost one
        conf.set(
                "spark.task.maxFailures", "1000"); // lost attempts are counted by the engine, which tells innocent ones
        add(conf, "spark.plugins", EnginePlugin.class.getName());
        add(conf, "spark.jars", jars());
        return conf;
    }

    /** Adds values to a list of the user's. */
    private static void add(SparkConf conf, String key, String own) {
        String users = conf.get(key, "");
        conf.set(key, users.isEmpty() ? own : own + "," + users);
    }

    /** Returns all of the class path that is not Spark's. */
    private static String jars() {
        Path spark = Path.of(URI.create(SparkConf.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .getParent();
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .filter(jar -> !jar.startsWith(spark))
                .map(Path::toString)
                .collect(Collectors.joining(","));
    }
}
