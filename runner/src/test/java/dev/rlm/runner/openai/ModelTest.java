package dev.rlm.runner.openai;

import dev.rlm.sinks.testkit.chat.ChatServer;
import dev.rlm.sinks.testkit.fault.Gate;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests against a server of their own, which says what it is told. */
abstract class ModelTest {
    /** Opened at the end, for whatever waits at it. */
    final Gate gate = new Gate();

    @TempDir
    Path folder;

    ChatServer server;
    Asking asking;

    @BeforeEach
    final void startServer() throws IOException {
        server = ChatServer.start();
        asking = new Asking(folder, server);
    }

    @AfterEach
    final void closeServer() throws IOException {
        gate.open();
        server.close();
    }
}
