package dev.rlm.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files under {@code deploy} fit together, as far as can be seen without starting them. */
class DeployTest {
    private static final Path SOURCES = GrafanaStack.FOLDER.resolve("provisioning/datasources/rlm.yaml");

    @ParameterizedTest
    @ValueSource(strings = {"runs", "rewards"})
    void dashboard_usesDataSourcesThatAreThere(String dashboard) throws IOException {
        Path file = GrafanaStack.FOLDER.resolve("dashboards/" + dashboard + ".json");

        assertThat(found("\"uid\": \"(prometheus|tempo|loki)\"", file)).isSubsetOf(found(" uid: (.*)", SOURCES));
        assertThat(found("\"datasource\": \\{\\s+\"type\": \"\\w+\",\\s+\"uid\": \"([^\"]*)\"", file))
                .containsExactlyInAnyOrder("prometheus", "tempo");
    }

    @Test
    void exemplar_leadsToTempoByItsTraceId() throws IOException {
        assertThat(Files.readString(SOURCES))
                .containsPattern("exemplarTraceIdDestinations:\\s+- name: trace_id\\s+datasourceUid: tempo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jaeger", "grafana"})
    void compose_pinsVersionsAndMountsFilesThatAreThere(String folder) throws IOException {
        Path file = GrafanaStack.FOLDER.resolveSibling(folder).resolve("compose.yaml");

        assertThat(found("image: (.*)", file))
                .isNotEmpty()
                .allMatch(image -> image.matches("\\S+:v?\\d+\\.\\d+\\.\\d+"));
        assertThat(found("- \\./([^:]*):", file))
                .allSatisfy(mounted -> assertThat(file.resolveSibling(mounted)).exists());
        assertThat(found("- \"(.*)\" # OTLP", file))
                .containsExactlyInAnyOrder("127.0.0.1:4317:4317", "127.0.0.1:4318:4318");
    }

    private static Set<String> found(String pattern, Path file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(file))
                .results()
                .map((MatchResult result) -> result.group(1))
                .collect(Collectors.toSet());
    }
}
