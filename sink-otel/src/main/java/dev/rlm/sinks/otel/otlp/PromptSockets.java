package dev.rlm.sinks.otel.otlp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes sockets that send at once. With Nagle's algorithm, which OkHttp leaves on, the end of a request waits for the
 * receipt of its beginning: 40 ms each, where the other side delays receipts.
 */
final class PromptSockets extends SocketFactory {
    @Override
    public Socket createSocket() throws IOException {
        return prompt(new Socket());
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
}
