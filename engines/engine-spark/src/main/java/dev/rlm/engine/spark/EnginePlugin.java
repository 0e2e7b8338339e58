package dev.rlm.engine.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/** Plug-in by which executors ask the driver, and which opens and closes what they run episodes with. */
public final class EnginePlugin implements SparkPlugin {
    private static final Map<String, SparkJob<?>> JOBS = new ConcurrentHashMap<>(); // of this driver, by invocation

    static void add(String invocation, SparkJob<?> job) {
        JOBS.put(invocation, job);
    }

    static void remove(String invocation) {
        JOBS.remove(invocation);
    }

    @Override
    public DriverPlugin driverPlugin() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new Executor();
    }

    /** Answers executors, which wait. */
    private static final class Driver implements DriverPlugin {
        @Override
        public Map<String, String> init(SparkContext context, PluginContext plugin) {
            return Map.of();
        }

        @Override
        public @Nullable Object receive(Object message) {
            if (message instanceof Begin begin) {
                SparkJob<?> job = JOBS.get(begin.invocation());
                return (job == null ? Permission.CANCELLED : job.begin(begin.place(), begin.alone())).text();
            } else if (message instanceof NotRecorded attempt) {
                SparkJob<?> job = JOBS.get(attempt.invocation());
                if (job != null) {
                    job.notRecorded(attempt.place());
                }
                return true;
            } else if (message instanceof IsCancelled question) {
                SparkJob<?> job = JOBS.get(question.invocation());
                return job == null || job.isCancelled();
            }
            throw new IllegalArgumentException("an unknown message");
        }
    }

    /** Hands the executor's connection to the driver to the episodes. */
    private static final class Executor implements ExecutorPlugin {
        @Override
        public void init(PluginContext context, Map<String, String> settings) {
            ExecutorEpisodes.connect(context);
        }

        @Override
        public void shutdown() {
            ExecutorEpisodes.shutdown();
        }
    }

    /**
     * Question whether an episode's attempt may begin.
     *
     * @param alone whether no other episode begins on this executor that was lost as often
     */
    record Begin(String invocation, int place, boolean alone) implements Serializable {}

    /** News that an attempt has ended and is not accepted, since its record was not synced. */
    record NotRecorded(String invocation, int place) implements Serializable {}

    /** Question whether a job has been cancelled. */
    record IsCancelled(String invocation) implements Serializable {}

    /**
     * Answer to {@link Begin}. It travels as text: where Spark reads answers it knows Java's own classes alone.
     *
     * @param kind what to do
     * @param begun how many tasks have begun attempts before
     * @param lost how many of them were lost with their processes
     */
    record Permission(Kind kind, int begun, int lost) {
        static final Permission CANCELLED = new Permission(Kind.CANCELLED, 0, 0);

        static Permission of(Object text) {
            String[] parts = text.toString().split(" ", -1);
            return new Permission(Kind.valueOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        }

        private String text() {
            return kind + " " + begun + " " + lost;
        }

        enum Kind {
            /** Begin. */
            BEGIN,
            /** Ask again once no other such episode runs on this executor: this one may be what ends processes. */
            WAIT_ALONE,
            /** Record that it is lost, and run it no more. */
            LOST,
            /** Begin nothing. */
            CANCELLED
        }
    }
}
