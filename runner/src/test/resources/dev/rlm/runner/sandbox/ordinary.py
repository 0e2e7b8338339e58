# Uses the system as code of all kinds does. Each line that is printed is one that works.
import asyncio, ctypes, decimal, json, math, mmap, multiprocessing, os, pathlib, random, shutil, signal, socket
import sqlite3, ssl, subprocess, sys, tempfile, threading, time, uuid, zlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import shared_memory

pathlib.Path('work.py').write_text('def square(n): return n * n')
from work import square

def check(name, done):
    print(name if done else name + ' does not work')

with ThreadPoolExecutor(8) as pool:
    check('threads', list(pool.map(square, range(50))) == [n * n for n in range(50)])
check('subprocess', subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True).stdout == b'42\n')
check('shell', subprocess.run('seq 3 | wc -l', shell=True, capture_output=True, text=True).stdout.strip() == '3')
for method in ('fork', 'spawn', 'forkserver'):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        check(method, list(pool.map(square, range(5))) == [0, 1, 4, 9, 16])
queue = multiprocessing.get_context('fork').Queue()
process = multiprocessing.get_context('fork').Process(target=queue.put, args=(7,))
process.start()
check('queue', queue.get(timeout=10) == 7)
process.join()
block = shared_memory.SharedMemory(create=True, size=4096)
block.buf[0] = 9
again = shared_memory.SharedMemory(block.name)
check('shared memory', again.buf[0] == 9)
again.close()
block.close()
block.unlink()
check('anonymous memory', len(mmap.mmap(-1, 4096)) == 4096)

async def talk():
    async def answer(reader, writer):
        writer.write((await reader.readline()).upper())
        writer.close()
    server = await asyncio.start_server(answer, '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b'hello\n')
    said = await asyncio.wait_for(reader.readline(), 10)
    writer.close()
    server.close()
    program = await asyncio.create_subprocess_exec('echo', 'x', stdout=subprocess.PIPE)
    await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0)
    return said, (await program.communicate())[0]

check('asyncio', asyncio.run(talk()) == (b'HELLO\n', b'x\n'))
ours, theirs = socket.socketpair()
ours.sendall(b'x')
check('socketpair', theirs.recv(1) == b'x')
with sqlite3.connect('data.db') as data:
    data.execute('pragma journal_mode = wal')
    data.execute('create table t (n)')
    data.executemany('insert into t values (?)', [(n,) for n in range(10)])
    check('sqlite', data.execute('select sum(n) from t').fetchone() == (45,))
check('ssl', ssl.create_default_context().verify_mode == ssl.CERT_REQUIRED)
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
    file.write(b'x' * 1000)
    file.flush()
    copy = shutil.copy2(file.name, 'copy')
    check('files', os.stat(copy).st_size == 1000 and os.listdir(folder) != [])
shutil.make_archive('archive', 'zip', '.', 'work.py')
os.mkfifo('pipe')
os.symlink('copy', 'link')
os.utime('link', (1, 1))
check('folders', shutil.disk_usage('.').free > 0 and os.path.getmtime('copy') == 1)
check('json', json.loads(json.dumps({'a': [1.5, None]})) == {'a': [1.5, None]})
check('decimal', str(decimal.Decimal(2).sqrt())[:8] == '1.414213')
check('random', len(os.urandom(16)) == 16 and 0 <= random.SystemRandom().random() < 1 and uuid.uuid4() is not None)
check('time', time.time() > 1e9 and time.strftime('%Y', time.gmtime(0)) == '1970' and time.sleep(0.001) is None)
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)
check('ctypes', callback(1) == 2)
heard = []
signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.01)
while not heard:
    time.sleep(0.001)
check('signals', heard == [1])
os.nice(0)
check('processors', os.sched_setaffinity(0, os.sched_getaffinity(0)) is None and os.cpu_count() > 0)
try:
    import numpy
    check('numpy', numpy.linalg.inv(numpy.eye(300) * 2).sum() == 150)
except ImportError:
    print('numpy')
