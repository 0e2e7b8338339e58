package dev.rlm.sinks.delivery.http;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets that send at once. With Nagle's algorithm, which OkHttp leaves on, the end of a request waits for the
 * receipt of its beginning: 40 ms each, where the other side delays receipts.
 */
final class PromptSockets extends SocketFactory {
    private final boolean gathering;

    /**
     * With sockets that gather what is written until it is flushed, up to 64 KiB: OkHttp writes 8 KiB at a time, which takes
     * a third more of both sides' processors.
     */
    PromptSockets(boolean gathering) {
        this.gathering = gathering;
    }

    /** The one that OkHttp asks for. */
    @Override
    public Socket createSocket() throws IOException {
        return prompt(gathering ? new GatheringSocket() : new Socket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return prompt(new Socket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return prompt(new Socket(host, port, from, fromPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return prompt(new Socket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
        return prompt(new Socket(host, port, from, fromPort));
    }

    private static Socket prompt(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static final class GatheringSocket extends Socket {
        private static final int GATHERED = 64 << 10; // bytes

        private @Nullable OutputStream out;

        @Override
        public synchronized OutputStream getOutputStream() throws IOException {
            OutputStream known = out;
            if (known == null) {
                known = new BufferedOutputStream(super.getOutputStream(), GATHERED);
                out = known;
            }
            return known;
        }
    }
}
