package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.mlflow.rest.Experiment;
import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.mlflow.rest.TrustedCertificates;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Server, experiment and MLflow run to send to, from the {@code MLFLOW_*} variables that MLflow's own clients read.
 *
 * @param experimentName counts before the id
 * @param experimentId counts where there is no name
 * @param runId MLflow's run that is used for everything, in its own experiment; {@code null} where runs are made
 * @param training what all runs of the process, and its numbers of training, belong to; {@code null} where runs say it
 * @param runs the scope of one of MLflow's runs
 */
record MlflowSettings(
        TrackingAccess access,
        @Nullable String experimentName,
        @Nullable String experimentId,
        @Nullable String runId,
        @Nullable String training,
        Runs runs) {
    /** The variables that it reads. */
    static final List<Variable> VARIABLES = List.of(
            new Variable(
                    "MLFLOW_TRACKING_URI",
                    "http://localhost:5000",
                    "the tracking server; a path before its API is kept"),
            new Variable(
                    "MLFLOW_EXPERIMENT_NAME", "rlm", "the experiment, made where there is none; counts before the id"),
            new Variable("MLFLOW_EXPERIMENT_ID", "", "the experiment, which must be there"),
            new Variable("MLFLOW_RUN_ID", "", "one of MLflow's runs that is used for all, in its own experiment"),
            new Variable("MLFLOW_TRACKING_USERNAME", "", "signs in, with the password"),
            new Variable("MLFLOW_TRACKING_PASSWORD", "", "signs in, with the user's name"),
            new Variable("MLFLOW_TRACKING_TOKEN", "", "signs in where no user and password do"),
            new Variable("MLFLOW_TRACKING_INSECURE_TLS", "false", "whether any certificate is trusted"),
            new Variable(
                    "MLFLOW_TRACKING_SERVER_CERT_PATH", "", "PEM file of certificates to trust in the place of Java's"),
            new Variable("RLM_MLFLOW_RUNS", "job", "what one of MLflow's runs is made for: job, episode"),
            new Variable(
                    "RLM_MLFLOW_TRAINING",
                    "the trainer's run, as runs tell it",
                    "a training: all processes that say the same have one of MLflow's runs together"));

    private static final String URI_VARIABLE = "MLFLOW_TRACKING_URI";
    private static final String INSECURE = "MLFLOW_TRACKING_INSECURE_TLS";
    private static final String CERTIFICATES = "MLFLOW_TRACKING_SERVER_CERT_PATH";
    private static final String EXPERIMENT = "rlm";
    private static final URI LOCAL = URI.create("http://localhost:5000");

    /** Scope of one of MLflow's runs. */
    enum Runs {
        /** For all episodes of one training, else of one invocation, else of the process. */
        JOB,
        /** For one episode. */
        EPISODE
    }

    /** One for a server, with all else as it is where nothing is said. */
    static MlflowSettings of(TrackingAccess access) {
        return new MlflowSettings(access, null, null, null, null, Runs.JOB);
    }

    /**
     * Reads the configuration of the sink.
     *
     * @throws SinkConfigException if a value cannot be used
     */
    static MlflowSettings of(SinkConfig config) {
        SinkConfig shared = config.shared();
        TrackingAccess access = new TrackingAccess(
                shared.url(URI_VARIABLE).orElse(LOCAL),
                shared.string("MLFLOW_TRACKING_USERNAME").orElse(null),
                shared.string("MLFLOW_TRACKING_PASSWORD").orElse(null),
                shared.string("MLFLOW_TRACKING_TOKEN").orElse(null),
                tls(shared));
        return new MlflowSettings(
                access,
                shared.string("MLFLOW_EXPERIMENT_NAME").orElse(null),
                shared.string("MLFLOW_EXPERIMENT_ID").orElse(null),
                shared.string("MLFLOW_RUN_ID").orElse(null),
                config.string("TRAINING").orElse(null),
                config.choice("RUNS", "job", List.of("job", "episode")).equals("job") ? Runs.JOB : Runs.EPISODE);
    }

    private static @Nullable X509TrustManager tls(SinkConfig shared) {
        boolean insecure = shared.bool(INSECURE, false);
        Optional<Path> certificates = shared.path(CERTIFICATES);
        if (insecure && certificates.isPresent()) {
            throw shared.invalid(INSECURE, "false where " + CERTIFICATES + " is set");
        }
        try {
            return insecure
                    ? TrustedCertificates.trustingAll()
                    : certificates.isEmpty() ? null : TrustedCertificates.trusting(certificates.get());
        } catch (IOException | GeneralSecurityException e) {
            throw shared.invalid(CERTIFICATES, "a file of certificates in PEM that can be read");
        }
    }

    /** Whose runs they are: who signs in, or whose process this is. */
    String user() {
        String signedIn = access.user();
        return signedIn == null ? System.getProperty("user.name", "") : signedIn;
    }

    /** The experiment that all goes to. */
    Experiment experiment(TrackingServer server) {
        if (runId != null) {
            return Experiment.ofRun(server, runId);
        }
        return experimentName == null && experimentId != null
                ? Experiment.withId(server, experimentId)
                : Experiment.named(server, experimentName == null ? EXPERIMENT : experimentName);
    }
}
