package dev.rlm.engine.spark;

import dev.rlm.engine.EngineContext;
import dev.rlm.engine.EngineProvider;
import dev.rlm.engine.EpisodeEngine;
import dev.rlm.engine.EpisodeRequest;
import java.util.regex.Pattern;

/** Provider of the engine {@code spark}. */
public final class SparkEngineProvider implements EngineProvider {
    private static final Pattern MASTER = Pattern.compile("(spark|k8s)://.+|yarn|local(-cluster)?\\[.+]");

    @Override
    public String name() {
        return "spark";
    }

    @Override
    public EpisodeEngine<EpisodeRequest> open(EngineContext context) {
        if (!MASTER.matcher(context.master()).matches()) {
            throw new IllegalArgumentException("--master=" + context.master() + " is not valid: expected"
                    + " spark://HOST:PORT, local-cluster[WORKERS,SLOTS,MEMORY_MIB], k8s://URL, yarn or local[SLOTS]");
        }
        context.settings().keySet().forEach(key -> {
            if (!key.startsWith("spark.")) {
                throw new IllegalArgumentException(
                        "--conf " + key + " is not valid: expected a property of Spark, such as spark.executor.memory");
            }
        });
        return new SparkEngine(context);
    }
}
