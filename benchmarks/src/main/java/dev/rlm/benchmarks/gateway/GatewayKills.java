package dev.rlm.benchmarks.gateway;

import dev.rlm.benchmarks.RlmUnderLoad;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that kills the gateway under load, again and again, and looks for each answered call in the journal. */
@Command(
        name = "gateway-kills",
        description = "Kills rlm gateway under load, and looks for each call that was answered in the journal.",
        mixinStandardHelpOptions = true)
public final class GatewayKills implements Callable<Integer> {
    private static final int CLIENTS = 8;
    private static final int MOST_CALLS = 200; // before a kill
    private static final int KILLS_OF_A_JOURNAL = 50;

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--kills", paramLabel = "N", description = "How many (${DEFAULT-VALUE}).")
    private int kills = 1_000;

    @Option(names = "--seed", paramLabel = "N", description = "Chooses the moments (${DEFAULT-VALUE}).")
    private long seed = 28;

    private long answered;
    private long lost;

    private GatewayKills() {}

    @Override
    public Integer call() throws Exception {
        Random random = new Random(seed);
        try (StreamedModel model = new StreamedModel()) {
            for (int done = 0; done < kills; done += KILLS_OF_A_JOURNAL) {
                try (TemporaryFolder folder = TemporaryFolder.create("kills")) {
                    check(folder.path(), model, Math.min(KILLS_OF_A_JOURNAL, kills - done), random);
                }
            }
        }
        spec.commandLine().getOut().println(kills + " kills, " + answered + " answered calls, " + lost + " lost");
        return lost == 0 ? 0 : 1;
    }

    /** Kills it so often over one journal. */
    private void check(Path journal, StreamedModel model, int times, Random random) throws Exception {
        Set<String> replies = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < times; i++) {
            killed(journal, model, 1 + random.nextInt(MOST_CALLS), replies);
        }
        Set<String> recorded = new HashSet<>();
        Journal read = Journal.open(journal);
        read.runs()
                .forEach(run -> read.events(run.runId()).forEach(event -> {
                    if (event instanceof ModelCalled call && call.responseId() != null) {
                        recorded.add(call.responseId());
                    }
                }));
        answered += replies.size();
        lost += replies.stream().filter(reply -> !recorded.contains(reply)).count();
    }

    /** Kills it after so many answers, while other calls are on their way. */
    private static void killed(Path journal, StreamedModel model, int calls, Set<String> replies) throws Exception {
        CountDownLatch before = new CountDownLatch(calls);
        try (RlmUnderLoad gateway = GatewayCost.gateway(journal, model.port())) {
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String path = "/rollout_id/r" + i + "/v1";
                Thread client = new Thread(() -> ask(gateway.port(), path, replies, before), "client");
                clients.add(client);
                client.start();
            }
            before.await();
            gateway.kill();
            for (Thread client : clients) {
                client.join();
            }
        }
    }

    /** Asks until the gateway has died. */
    private static void ask(int port, String path, Set<String> replies, CountDownLatch before) {
        try (StreamClient client = new StreamClient(port, path)) {
            while (true) {
                replies.add(client.ask().id());
                before.countDown();
            }
        } catch (IOException e) {
            return; // it has died
        }
    }
}
