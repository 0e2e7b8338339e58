package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.mlflow.MlflowSettings.Runs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MlflowSettingsTest {
    private static MlflowSettings of(String... pairs) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            variables.put(pairs[i], pairs[i + 1]);
        }
        return MlflowSettings.of(SinkConfig.of(variables).sink("mlflow"));
    }

    @Test
    void nothingSaid_isTheLocalServer() {
        MlflowSettings settings = of();
        assertThat(settings.access().address()).isEqualTo("http://localhost:5000");
        assertThat(settings.access().secrets()).isEmpty();
        assertThat(settings.runs()).isEqualTo(Runs.JOB);
    }

    @Test
    void everythingSaid_isTaken() {
        MlflowSettings settings = of(
                "MLFLOW_TRACKING_URI", "https://u:pw-of-uri@mlflow.example:8443/team/a/?x=y",
                "MLFLOW_EXPERIMENT_NAME", "math",
                "MLFLOW_EXPERIMENT_ID", "7",
                "MLFLOW_RUN_ID", "r1",
                "MLFLOW_TRACKING_USERNAME", "me",
                "MLFLOW_TRACKING_PASSWORD", "pw-of-mine",
                "MLFLOW_TRACKING_TOKEN", "tok-1234",
                "MLFLOW_TRACKING_INSECURE_TLS", "1",
                "RLM_MLFLOW_RUNS", "Episode");
        assertThat(settings.access().address()).isEqualTo("https://mlflow.example:8443/team/a");
        assertThat(settings.access().tls()).isNotNull();
        assertThat(settings.access().secrets()).contains("pw-of-uri", "pw-of-mine", "tok-1234");
        assertThat(settings.toString()).doesNotContain("pw-of", "tok-1234");
        assertThat(settings.experimentName()).isEqualTo("math");
        assertThat(settings.experimentId()).isEqualTo("7");
        assertThat(settings.runId()).isEqualTo("r1");
        assertThat(settings.runs()).isEqualTo(Runs.EPISODE);
    }

    @ParameterizedTest
    @CsvSource({
        "MLFLOW_TRACKING_URI, file:///tmp/mlruns",
        "MLFLOW_TRACKING_URI, databricks",
        "MLFLOW_TRACKING_URI, http://me:secret@",
        "MLFLOW_TRACKING_INSECURE_TLS, maybe",
        "MLFLOW_TRACKING_SERVER_CERT_PATH, /no/such/file",
        "RLM_MLFLOW_RUNS, step"
    })
    void slip_namesItsVariable(String variable, String value) {
        assertThatThrownBy(() -> of(variable, value))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageStartingWith(variable + "=")
                .hasMessageNotContaining("secret");
    }

    @Test
    void certificates_andNoneNeeded_contradictEachOther(@TempDir Path folder) throws IOException {
        String file = Files.writeString(folder.resolve("ca.pem"), "").toString();
        assertThatThrownBy(() -> of("MLFLOW_TRACKING_INSECURE_TLS", "true", "MLFLOW_TRACKING_SERVER_CERT_PATH", file))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("MLFLOW_TRACKING_SERVER_CERT_PATH");
        assertThatThrownBy(() -> of("MLFLOW_TRACKING_SERVER_CERT_PATH", file))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("PEM");
    }
}
