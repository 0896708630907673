FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app

COPY requirements/run.txt requirements/run.txt
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/run.txt

COPY manage.py ./
COPY adjudication adjudication
COPY certify_core certify_core
COPY templates templates
COPY static static

RUN useradd --system --uid 10001 adjudication \
    && install -d -o adjudication /data
USER adjudication
ENV DATA_DIR=/data

CMD ["python", "-m", "gunicorn", "--config", "python:adjudication.web", "--bind", "0.0.0.0:8000", "adjudication.wsgi"]
