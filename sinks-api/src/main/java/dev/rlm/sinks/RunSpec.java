package dev.rlm.sinks;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Description of a run that is to start. Only the environment must be given; the run id is made up where it is not.
 *
 * @param agent {@code null} where it has no name
 * @param agentVersion {@code null} if it is not known
 * @param expectedAnswer {@code null} where there is none
 * @param passReward from which reward on the run counts as solved
 * @param passOn which reward that is
 * @param timeout how long it may take; {@code null} for any time
 * @param stepTimeout how long each of its steps may take; {@code null} for any time
 * @see dev.rlm.sinks.event.RunInfo
 */
public record RunSpec(
        String runId,
        String task,
        String environment,
        String model,
        @Nullable String agent,
        @Nullable String agentVersion,
        @Nullable String expectedAnswer,
        int maxSteps,
        @Nullable Long seed,
        Map<String, Object> params,
        Map<String, String> tags,
        Correlation correlation,
        @Nullable TraceContext parent,
        double passReward,
        PassOn passOn,
        @Nullable Duration timeout,
        @Nullable Duration stepTimeout) {
    public RunSpec {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(model, "model");
        Objects.requireNonNull(correlation, "correlation");
        if (runId.isBlank() || environment.isBlank()) {
            throw new IllegalArgumentException("a run needs a run id and an environment");
        }
        if (maxSteps < 0) {
            throw new IllegalArgumentException("max steps must be at least 0, was " + maxSteps);
        }
        checkPositive("timeout", timeout);
        checkPositive("step timeout", stepTimeout);
    }

    private static void checkPositive(String name, @Nullable Duration time) {
        if (time != null && (time.isZero() || time.isNegative())) {
            throw new IllegalArgumentException("the " + name + " must be above 0, was " + time);
        }
    }

    /** The reward that tells whether a run is solved. */
    public enum PassOn {
        /** The run's last reward. */
        LAST,
        /** The sum of its rewards. */
        TOTAL;

        /**
         * Returns whether a run counts as solved.
         *
         * @param last its last reward; NaN where it is absent
         * @param total the sum of its finite rewards
         * @param absent whether one of them could not be computed
         */
        public boolean isSolved(double last, double total, boolean absent, double passReward) {
            return this == LAST ? last >= passReward : !absent && total >= passReward;
        }
    }

    /** A description of a run in the given environment. */
    public static Builder builder(String environment) {
        return new Builder(environment);
    }

    /** Collects what is said of a run. */
    public static final class Builder {
        private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
        private static final int ID_LENGTH = 16;
        private static final Random RANDOM = new SecureRandom();

        private final String environment;
        private final Map<String, Object> params = new LinkedHashMap<>();
        private final Map<String, String> tags = new LinkedHashMap<>();
        private @Nullable String runId;
        private String task = "";
        private String model = "";
        private @Nullable String agent;
        private @Nullable String agentVersion;
        private @Nullable String expectedAnswer;
        private int maxSteps;
        private @Nullable Long seed;
        private CorrelationBuilder correlation = Correlation.builder();
        private @Nullable TraceContext parent;
        private double passReward = 1.0;
        private PassOn passOn = PassOn.LAST;
        private @Nullable Duration timeout;
        private @Nullable Duration stepTimeout;

        private Builder(String environment) {
            this.environment = Objects.requireNonNull(environment);
        }

        /** Unique for each execution. */
        public Builder runId(String value) {
            runId = value;
            return this;
        }

        /** Sets the task that the agent is given. */
        public Builder task(String value) {
            task = value;
            return this;
        }

        /** The model that acts. */
        public Builder model(String value) {
            model = value;
            return this;
        }

        /**
         * Sets the agent that acts, such as a program's name, and its version; {@code null} if the version is not
         * known.
         */
        public Builder agent(String name, @Nullable String version) {
            agent = name;
            agentVersion = version;
            return this;
        }

        /** The right answer to the task, for who reads the record. It is not shown to the agent. */
        public Builder expectedAnswer(String value) {
            expectedAnswer = value;
            return this;
        }

        /** Sets the number of steps after which the run is ended; 0 for no limit. */
        public Builder maxSteps(int value) {
            maxSteps = value;
            return this;
        }

        /** Of the run's random choices. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** A further parameter: a string, number or boolean, or a list or map of them. */
        public Builder param(String name, Object value) {
            params.put(name, value);
            return this;
        }

        /** A further name to find the run by. */
        public Builder tag(String name, String value) {
            tags.put(name, value);
            return this;
        }

        /** Further names to find the run by. */
        public Builder tags(Map<String, String> values) {
            tags.putAll(values);
            return this;
        }

        /** Sets the ids that join the run to a trainer or a data set, all of them. */
        public Builder correlation(Correlation value) {
            correlation = CorrelationBuilder.builder(value);
            return this;
        }

        /** Sets the {@linkplain Correlation#experiment experiment} that the run belongs to. */
        public Builder experiment(String id) {
            correlation.experiment(id);
            return this;
        }

        /** Sets the {@linkplain Correlation#sample task of the data set}; the runs of one sample are a group. */
        public Builder sample(String id) {
            correlation.sample(id);
            return this;
        }

        /** Sets the task of the data set, and the run's place in its group, from 0. */
        public Builder sample(String id, int trajectoryIndex) {
            correlation.trajectoryIndex(trajectoryIndex);
            return sample(id);
        }

        /** Sets the {@linkplain Correlation#rollout rollout} that the run is an attempt at. */
        public Builder rollout(String id) {
            correlation.rollout(id);
            return this;
        }

        /** Sets the {@linkplain Correlation#trainStep optimisation step} of the trainer, from 0. */
        public Builder trainStep(long value) {
            correlation.trainStep(value);
            return this;
        }

        /** Sets the {@linkplain Correlation#epoch epoch} of the trainer, from 0. */
        public Builder epoch(int value) {
            correlation.epoch(value);
            return this;
        }

        /** Sets {@code train}, {@code validation} or {@code test}. */
        public Builder split(String value) {
            correlation.split(value);
            return this;
        }

        /** Sets the {@linkplain Correlation#policyVersion version of the weights} that act. */
        public Builder policyVersion(String value) {
            correlation.policyVersion(value);
            return this;
        }

        /**
         * Sets the context that a parent elsewhere has handed down: the run joins its trace, and has the parent's run for
         * its {@linkplain Correlation#parentRun() parent run} unless another is given. What is not valid is left out.
         */
        public Builder parent(TraceContext value) {
            parent = value;
            return this;
        }

        /** The same from a map, such as the headers of a request or {@code System.getenv()}: see {@link TraceContext#from}. */
        public Builder parent(Map<String, String> carrier) {
            return parent(TraceContext.from(carrier));
        }

        /** Sets the run or step of this process that starts the run: it joins its trace, under its span. */
        public Builder parent(Activity value) {
            return parent(value.traceContext().orElse(TraceContext.NONE));
        }

        /** The remote parent's span alone, as W3C Trace Context writes it. */
        public Builder traceparent(String value) {
            return parent(new TraceContext(value, null, null));
        }

        /** Sets the smallest reward with which the run counts as solved; 1.0 unless set. */
        public Builder passReward(double value) {
            passReward = value;
            return this;
        }

        /** Sets the reward that tells whether the run is solved; the last one unless set. */
        public Builder passOn(PassOn value) {
            passOn = value;
            return this;
        }

        /**
         * Sets the time that the run may take. A run that has not ended by then is ended by the hub, whatever its threads
         * do: it has failed, with the status {@link dev.rlm.sinks.event.RunStatus#DEADLINE_EXCEEDED}. What it records
         * afterwards is no part of it, and no loss. To stop the work itself is for who does it.
         */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /**
         * Sets the time that each step may take. One that has not ended by then is ended by the hub, whatever its thread does:
         * it has failed, with the error type {@link dev.rlm.sinks.event.StepEnded#DEADLINE_EXCEEDED}. The run goes on.
         */
        public Builder stepTimeout(Duration value) {
            stepTimeout = value;
            return this;
        }

        public RunSpec build() {
            return new RunSpec(
                    runId == null ? newRunId() : runId,
                    task,
                    environment,
                    model,
                    agent,
                    agentVersion,
                    expectedAnswer,
                    maxSteps,
                    seed,
                    new LinkedHashMap<>(params),
                    new LinkedHashMap<>(tags),
                    correlation.build(),
                    parent,
                    passReward,
                    passOn,
                    timeout,
                    stepTimeout);
        }

        private static String newRunId() {
            StringBuilder id = new StringBuilder(ID_LENGTH);
            for (int i = 0; i < ID_LENGTH; i++) {
                id.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
            }
            return id.toString();
        }
    }
}
