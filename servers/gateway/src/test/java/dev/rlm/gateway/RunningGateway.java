package dev.rlm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.GatewayClient;
import dev.rlm.cli.testkit.RunningCli;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code rlm gateway} in this process, and a client of it. */
final class RunningGateway extends GatewayClient implements AutoCloseable {
    private final RunningCli rlm;

    private RunningGateway(Path folder, RunningCli rlm) {
        super(folder, rlm.awaitUrl());
        this.rlm = rlm;
    }

    static RunningGateway start(Path folder, Map<String, String> variables, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("gateway", "--port", "0"));
        arguments.addAll(List.of(options));
        return new RunningGateway(folder, RunningCli.start(folder, variables, arguments.toArray(String[]::new)));
    }

    RunningCli rlm() {
        return rlm;
    }

    void stop() throws InterruptedException {
        assertThat(rlm.stop()).isEqualTo(130);
    }

    @Override
    public void close() throws InterruptedException {
        rlm.close();
    }
}
