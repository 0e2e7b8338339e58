package dev.rlm.engine.spark;

import java.io.Serializable;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.FutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function0;
import scala.Function1;
import scala.Function2;
import scala.collection.Iterator;
import scala.collection.immutable.Range$;
import scala.collection.immutable.Seq;
import scala.runtime.BoxedUnit;

/** Tasks of Spark, one for each episode. */
final class SparkTasks {
    private SparkTasks() {}

    /**
     * Submits a job with a partition for each episode.
     *
     * @param results takes each outcome once, with the place of its task in the list; on a thread of Spark's
     */
    @SuppressWarnings("unchecked") // Scala's functions from Java
    static FutureAction<?> submit(
            JavaSparkContext spark,
            List<EpisodeTask> tasks,
            ExecutorSetup setup,
            BiConsumer<Integer, EpisodeOutcome> results) {
        Function1<Iterator<EpisodeTask>, EpisodeOutcome> run = new RunEpisode(setup);
        Function2<Object, EpisodeOutcome, BoxedUnit> handler = (index, outcome) -> {
            results.accept((Integer) index, outcome);
            return BoxedUnit.UNIT;
        };
        Function0<BoxedUnit> end = () -> BoxedUnit.UNIT;
        Seq<Object> partitions = (Seq<Object>) (Seq<?>) Range$.MODULE$.apply(0, tasks.size());
        return spark.sc().submitJob(spark.parallelize(tasks, tasks.size()).rdd(), run, partitions, handler, end);
    }

    /** Work of a task. */
    private static final class RunEpisode extends scala.runtime.AbstractFunction1<Iterator<EpisodeTask>, EpisodeOutcome>
            implements Serializable {
        private static final long serialVersionUID = 1;
        private final ExecutorSetup setup;

        private RunEpisode(ExecutorSetup setup) {
            this.setup = setup;
        }

        @Override
        public EpisodeOutcome apply(Iterator<EpisodeTask> tasks) {
            try {
                return ExecutorEpisodes.run(setup, tasks.next());
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
