package dev.rlm.sinks.testkit.chat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A server of OpenAI's chat completions on a free port of this machine, which says what it was told to: answers in
 * order, and when there are none left, what a function makes of the request. It answers any path. A request for its list of
 * models ({@code GET …/models}) is answered apart from these, and is not among the {@link #requests()}. Thread-safe.
 */
public final class ChatServer implements AutoCloseable {
    private final ServerSocket door;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "chat-server");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Queue<ChatAnswer> answers = new ConcurrentLinkedQueue<>();
    private final List<ChatRequest> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger answering = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final AtomicInteger abandoned = new AtomicInteger();
    private volatile Function<ChatRequest, ChatAnswer> otherwise =
            request -> ChatAnswer.refusal(500, "the test has no answer for this request");

    private volatile ChatAnswer models = ChatAnswer.refusal(404, "this server has no list of models");

    private ChatServer(ServerSocket door) {
        this.door = door;
    }

    /** Starts a server. */
    public static ChatServer start() throws IOException {
        ChatServer server = new ChatServer(new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress()));
        server.threads.execute(server::accept);
        return server;
    }

    /** Returns the base URL for clients, such as {@code http://127.0.0.1:40001/v1}. */
    public String baseUrl() {
        return "http://127.0.0.1:" + door.getLocalPort() + "/v1";
    }

    /** Adds an answer to those that are given in order, one a request. */
    public ChatServer answer(ChatAnswer answer) {
        answers.add(answer);
        return this;
    }

    /**
     * Sets the function that answers when none of those in order are left. It is called by several threads at a time.
     */
    public ChatServer answers(Function<ChatRequest, ChatAnswer> function) {
        otherwise = function;
        return this;
    }

    /** Sets the answer to requests for the list of models; unless set it is 404, as by a server without such a list. */
    public ChatServer models(ChatAnswer answer) {
        models = answer;
        return this;
    }

    /** The requests so far, in the order in which they came. */
    public List<ChatRequest> requests() {
        return List.copyOf(requests);
    }

    /** Returns the number of requests that are being answered. */
    public int answering() {
        return answering.get();
    }

    /** Returns the highest number of requests that were being answered at the same time. */
    public int mostAtOnce() {
        return mostAtOnce.get();
    }

    /** Returns the number of replies that the client did not wait for. */
    public int abandoned() {
        return abandoned.get();
    }

    /** Takes no more requests and breaks off those that it has. */
    @Override
    public void close() throws IOException {
        door.close();
        for (Socket connection : connections) {
            connection.close();
        }
        threads.shutdownNow();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket connection = door.accept();
                connections.add(connection);
                threads.execute(() -> serve(connection));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket;
                ChatConnection connection = new ChatConnection(socket)) {
            for (ChatRequest request = connection.next(); request != null; request = connection.next()) {
                if (!answered(connection, request)) {
                    return;
                }
            }
        } catch (IOException e) {
            // the client has gone between two requests, or does not speak HTTP
        } finally {
            connections.remove(socket);
        }
    }

    /** Answers a request, and returns whether the connection can go on. */
    private boolean answered(ChatConnection connection, ChatRequest request) throws IOException {
        if (request.method().equals("GET") && request.path().endsWith("/models")) {
            return connection.send(models, false);
        }
        requests.add(request);
        mostAtOnce.accumulateAndGet(answering.incrementAndGet(), Math::max);
        try {
            ChatAnswer next = answers.poll();
            return connection.send(next == null ? otherwise.apply(request) : next, request.wantsStream());
        } catch (IOException e) {
            abandoned.incrementAndGet();
            return false;
        } finally {
            answering.decrementAndGet();
        }
    }
}
