package dev.rlm.runner.serve;

import dev.rlm.cli.testkit.HostileClientContract;
import dev.rlm.cli.testkit.RunningCli;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** {@code rlm serve} with clients that send what they should not. */
class ServeHostileTest extends HostileClientContract {
    private final GatewayDouble gateway;

    private @Nullable RunningCli rlm;

    ServeHostileTest() throws IOException {
        gateway = new GatewayDouble(0);
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (rlm != null) {
            rlm.close();
        }
        gateway.close();
    }

    @Override
    protected Server start() throws Exception {
        rlm = RunningCli.start(folder, Map.of(), "serve", "--port", "0", "--env", "chat");
        URI url = URI.create(rlm.awaitUrl() + "/init");
        String body =
                "{\"completion_params\":{\"model\":\"sums\"},\"messages\":[{\"role\":\"user\",\"content\":\"What is"
                        + " 3*4?\"}],\"model_base_url\":\"" + gateway.url()
                        + "/rollout_id/r\",\"metadata\":{\"rollout_id\":\"r\","
                        + "\"invocation_id\":\"i\",\"experiment_id\":\"e\",\"run_id\":\"u\",\"row_id\":\"w\"}}";
        return new Server(url, Map.of("Content-Type", "application/json"), body);
    }
}
